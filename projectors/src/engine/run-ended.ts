import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';

/** Ends a run: repeating the batch within the same run cannot succeed. */
export class RunEnded extends Error {}

/** Another process holds the lease, or this one lost it. The run writes nothing more. */
export class LeaseLost extends RunEnded {
  override readonly name = 'LeaseLost';
}

/** ClickHouse restarted and may have lost unsynced data; the next run folds it again. */
class ServerRestarted extends RunEnded {
  override readonly name = 'ServerRestarted';
}

/** The uptime has a resolution of whole seconds. */
const slackSeconds = 1;

/** Reads when ClickHouse started, in seconds since 1970, by its own clock. */
const readServerStart = async (writer: Pick<ClickHouseWriter, 'rows'>): Promise<number> => {
  const [row] = await writer.rows<{ began: number }>('SELECT toUInt32(toUnixTimestamp(now()) - uptime()) AS began');
  return row?.began ?? 0;
};

/** Creates a check that throws `ServerRestarted` once ClickHouse is another process than at this call. */
export const createRestartCheck = async (writer: ClickHouseWriter): Promise<() => Promise<void>> => {
  const first = await readServerStart(writer);
  return async () => {
    if (Math.abs((await readServerStart(writer)) - first) > slackSeconds)
      throw new ServerRestarted('ClickHouse was restarted');
  };
};
