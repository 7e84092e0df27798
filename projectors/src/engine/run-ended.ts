import { type ClickHouseWriter, countDamagedParts } from '@popsvc/platform/clickhouse';
import { findVerifiedRun } from '@popsvc/read-models/generations';
import { currentRunSql } from '@popsvc/read-models/tables';
import pRetry from 'p-retry';

/** Base class of errors after which a run ends instead of retrying its batch. */
export class RunEnded extends Error {}

/** Thrown if another process holds the lease, or this process lost it. The run writes nothing more. */
export class LeaseLost extends RunEnded {
  override readonly name = 'LeaseLost';
}

class ServerNotVerified extends RunEnded {
  override readonly name = 'ServerNotVerified';
}

/** ClickHouse may have lost data that was not synced to disk. The next run folds the affected events again. */
class ServerRestarted extends RunEnded {
  override readonly name = 'ServerRestarted';
}

/** Until the replica has fetched a damaged part again, queries return fewer rows without an error, so derived rows may be wrong. */
class DamagedPartFound extends RunEnded {
  override readonly name = 'DamagedPartFound';
}

const detachedPartsSql = `SELECT toFloat64(count()) AS damaged,
    (SELECT toFloat64(sum(parts_to_check)) FROM system.replicas WHERE database = currentDatabase()) AS checking
  FROM system.detached_parts WHERE database = currentDatabase() AND startsWith(reason, 'broken')`;

/** The check of an undamaged part takes milliseconds, so these retries usually outlast it. */
const partCheckRetries = { retries: 4, minTimeout: 100, factor: 2 };

/** Always 0 without a cluster. Throws `DamagedPartFound` if the replica is still checking parts. */
const countDetachedParts = async (writer: ClickHouseWriter): Promise<number> => {
  if (writer.cluster === undefined) return 0;
  return pRetry(async () => {
    const [row] = await writer.rows<{ damaged: number; checking: number }>(detachedPartsSql);
    if (row!.checking > 0) throw new DamagedPartFound('ClickHouse checks parts that may be damaged');
    return row!.damaged;
  }, partCheckRetries);
};

export interface ServerRun {
  /** Result of `currentRunSql`. */
  readonly runAtMs: number;
  /**
   * Throws `ServerRestarted` if ClickHouse restarted since the run began, and `DamagedPartFound` if the replica may have a damaged part.
   */
  readonly assertSame: () => Promise<void>;
}

/**
 * Throws `ServerNotVerified` if the tables are not verified yet, and `DamagedPartFound` if the replica is still checking parts.
 * `countDamagedParts` also counts parts that were merged, so its change alone does not end the run.
 */
export const openServerRun = async (writer: ClickHouseWriter): Promise<ServerRun> => {
  const countFound = () => countDamagedParts(writer, (query) => writer.rows<{ n: number }>(query));
  let found = await countFound();
  const detached = await countDetachedParts(writer);
  const id = await findVerifiedRun(writer);
  if (id === undefined) throw new ServerNotVerified('ClickHouse started; its tables are not verified yet');
  const [run] = await writer.rows<{ current_run: number }>(currentRunSql);
  return {
    runAtMs: run!.current_run,
    async assertSame() {
      if ((await findVerifiedRun(writer)) !== id) throw new ServerRestarted('ClickHouse was restarted');
      const foundNow = await countFound();
      if (foundNow === found) return;
      if ((await countDetachedParts(writer)) !== detached)
        throw new DamagedPartFound('ClickHouse found a damaged part');
      found = foundNow;
    },
  };
};
