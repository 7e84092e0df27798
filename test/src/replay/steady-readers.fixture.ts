import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';

/** What readers see of coffee: rows and newest position of two of its tables, and how far it is projected. */
type Seen = readonly [plays: number, newestPlay: number, receipts: number, newestReceipt: number, projected: number];

const look = `SELECT [
  (SELECT count() FROM plays_live), (SELECT max(pos) FROM plays_live),
  (SELECT count() FROM receipts_live), (SELECT max(pos) FROM receipts_live),
  (SELECT max(pos) FROM progress_live WHERE projection = 'coffee')]::Array(Float64) AS seen`;

/** Looks again and again; what it saw must never become less. */
export const steadyReader = (writer: ClickHouseWriter) => {
  const complaints: string[] = [];
  let [isOver, looks] = [false, 0];
  let before: Seen = [0, 0, 0, 0, 0];
  const looking = (async () => {
    while (!isOver) {
      const [row] = await writer.rows<{ seen: Seen }>(look);
      const { seen } = row!;
      if (seen.some((value, index) => value < before[index]!)) complaints.push(`${seen.join()} after ${before.join()}`);
      before = seen;
      looks += 1;
      await sleep(10);
    }
  })();
  return {
    complaints,
    async stop(): Promise<number> {
      isOver = true;
      await looking;
      return looks;
    },
  };
};
