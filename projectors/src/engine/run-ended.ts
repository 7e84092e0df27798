import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';

/** Ends an incarnation: telling the batch again in the same life cannot help. */
export class RunEnded extends Error {}

/** The lease is held by somebody else or was lost: this incarnation writes nothing more. */
export class LeaseLost extends RunEnded {
  override readonly name = 'LeaseLost';
}

/** ClickHouse was restarted; what was not on disk may be gone, and the next incarnation goes back for it. */
export class ServerRestarted extends RunEnded {
  override readonly name = 'ServerRestarted';
}

/** It comes in whole seconds. */
const slackSeconds = 1;

/** When the ClickHouse that answers began its life: s since 1970, by its own clock, which is not ours. */
export const readServerStart = async (writer: Pick<ClickHouseWriter, 'rows'>): Promise<number> => {
  const [row] = await writer.rows<{ began: number }>('SELECT toUInt32(toUnixTimestamp(now()) - uptime()) AS began');
  return row?.began ?? 0;
};

/** A check that throws once ClickHouse is not the process it was when this was called. */
export const createRestartCheck = async (writer: ClickHouseWriter): Promise<() => Promise<void>> => {
  const first = await readServerStart(writer);
  return async () => {
    if (Math.abs((await readServerStart(writer)) - first) > slackSeconds)
      throw new ServerRestarted('ClickHouse was restarted');
  };
};
