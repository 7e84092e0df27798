import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseWriter, isServerError } from '@popsvc/platform/clickhouse';

/** Rows and newest positions of two tables of coffee as readers see them, and the position of its progress. */
type Reading = readonly [plays: number, newestPlay: number, receipts: number, newestReceipt: number, projected: number];

const readingSql = `SELECT [
  (SELECT count() FROM plays_live), (SELECT max(pos) FROM plays_live),
  (SELECT count() FROM receipts_live), (SELECT max(pos) FROM receipts_live),
  (SELECT max(pos) FROM progress_live WHERE projection = 'coffee')]::Array(Float64) AS seen`;

/**
 * Reads again and again, with a pause after each reading, and records each value that decreased. Reads again after a broken
 * connection, which a reader must expect.
 */
export const startSteadyReader = (writer: ClickHouseWriter, pauseMs: number) => {
  const decreases: string[] = [];
  let [isOver, readings] = [false, 0];
  let before: Reading = [0, 0, 0, 0, 0];
  const reading = (async () => {
    while (!isOver) {
      const rows = await writer.rows<{ seen: Reading }>(readingSql).catch((error: unknown) => {
        if (isServerError(error)) throw error;
      });
      if (!rows) continue;
      const { seen } = rows[0]!;
      if (seen.some((value, index) => value < before[index]!)) decreases.push(`${seen.join()} after ${before.join()}`);
      before = seen;
      readings += 1;
      await sleep(pauseMs);
    }
  })();
  // `stop` rejects with the failure.
  reading.catch(() => undefined);
  return {
    decreases,
    async stop(): Promise<number> {
      isOver = true;
      await reading;
      return readings;
    },
  };
};
