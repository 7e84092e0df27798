import type { Writer } from '@popsvc/platform/read-store';
import { ServerRestarted } from './final.ts';

/** Uptime comes in whole seconds, from a clock that is not ours. */
const slackMs = 3_000;

const startedAtMs = async (writer: Writer): Promise<number> => {
  const [row] = await writer.rows<{ uptime: number }>('SELECT toUInt32(uptime()) AS uptime');
  return Date.now() - (row?.uptime ?? 0) * 1_000;
};

/** A check that throws once ClickHouse is not the process it was when this was called. */
export const sameServer = async (writer: Writer): Promise<() => Promise<void>> => {
  const first = await startedAtMs(writer);
  return async () => {
    if ((await startedAtMs(writer)) > first + slackMs) throw new ServerRestarted('ClickHouse was restarted');
  };
};
