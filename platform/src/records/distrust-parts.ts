import type { BuildStep } from './build-parts.ts';
import { inTransaction } from './in-transaction.ts';
import type { LeaseKey } from './leases.ts';
import type { Records } from './open-records.ts';

/**
 * ClickHouse began its life so many seconds ago: what was written in the ten minutes before may not have been on disk, and is
 * done again, with all that rests on it. True when there was something.
 */
export const distrustParts = (
  records: Records,
  { projection, generation }: LeaseKey,
  uptimeSeconds: number,
): Promise<boolean> =>
  inTransaction(records, async (client) => {
    const key = [projection, generation];
    const { rows } = await client.query<{ step: BuildStep }>(
      `UPDATE build_parts SET reached = starts, events = 0, is_done = false, written_at = NULL
       WHERE projection = $1 AND generation = $2
         AND written_at BETWEEN now() - ($3 + 600) * interval '1 second' AND now() - ($3 - 5) * interval '1 second'
       RETURNING step`,
      [...key, uptimeSeconds],
    );
    if (rows.some(({ step }) => step !== 'windows')) {
      await client.query(`DELETE FROM build_parts WHERE projection = $1 AND generation = $2 AND step = 'windows'`, key);
      await client.query(
        `UPDATE build_parts SET is_done = false WHERE projection = $1 AND generation = $2 AND step = 'rest'`,
        key,
      );
    }
    return rows.length > 0;
  });
