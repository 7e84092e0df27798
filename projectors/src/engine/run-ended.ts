import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';

/** Base class of errors that end a run. The run does not retry a batch that fails with such an error. */
export class RunEnded extends Error {}

/** Another process holds the lease, or this process lost it. The run writes nothing more. */
export class LeaseLost extends RunEnded {
  override readonly name = 'LeaseLost';
}

/** ClickHouse restarted and may have lost data that was not synced to disk. The next run folds the affected events again. */
class ServerRestarted extends RunEnded {
  override readonly name = 'ServerRestarted';
}

/** Tolerance when two start times are compared, because ClickHouse reports its uptime in whole seconds. */
const slackSeconds = 1;

/** Reads when ClickHouse started, in seconds since 1970, by its own clock. */
const readServerStart = async (writer: Pick<ClickHouseWriter, 'rows'>): Promise<number> => {
  const [row] = await writer.rows<{ began: number }>('SELECT toUInt32(toUnixTimestamp(now()) - uptime()) AS began');
  return row?.began ?? 0;
};

/** Creates a check that throws `ServerRestarted` when ClickHouse was restarted after this call. */
export const createRestartCheck = async (writer: ClickHouseWriter): Promise<() => Promise<void>> => {
  const first = await readServerStart(writer);
  return async () => {
    if (Math.abs((await readServerStart(writer)) - first) > slackSeconds)
      throw new ServerRestarted('ClickHouse was restarted');
  };
};
