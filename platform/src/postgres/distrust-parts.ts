import type { BuildStep } from './build-parts.ts';
import { inTransaction } from './in-transaction.ts';
import type { LeaseKey } from './leases.ts';
import type { Postgres } from './open-records.ts';

/**
 * So much of what was written before ClickHouse was restarted is not believed. Inserts are on disk when they are acknowledged
 * (`fsync_after_insert`); merges are not, but Linux by its defaults has them there after half a minute, and ClickHouse keeps what was merged for eight.
 * The rest is for disks that say so too early. It is no more than that because what is not believed is folded again in the batches
 * it came in: with ten minutes, on a loaded machine, four minutes of plays were not folded again six minutes after a restart.
 */
export const unsyncedWindowMs = 60_000;

/** Told in whole seconds, by a clock that may be set. */
const slackSeconds = 1;

/**
 * ClickHouse began its life then (s since 1970, by its own clock). If that is another life than a build is known to lie on, what
 * was written in the last moments before the newest that is known to be written may not have been on disk, and is done again, with
 * all that rests on it. However long the machine was off, and however often this is asked: once for each life. True when there
 * was something.
 */
export const resetUnsyncedParts = (
  postgres: Postgres,
  { projection, generation }: LeaseKey,
  serverBegan: number,
): Promise<boolean> =>
  inTransaction(postgres, async (client) => {
    const key = [projection, generation];
    const { rowCount } = await client.query(
      `UPDATE builds SET server_began = $3
       WHERE projection = $1 AND generation = $2 AND (server_began IS NULL OR abs(server_began - $3) > $4)`,
      [...key, serverBegan, slackSeconds],
    );
    if (rowCount === 0) return false;
    const { rows } = await client.query<{ step: BuildStep }>(
      `UPDATE build_parts SET reached = starts, events = 0, is_done = false, written_at = NULL, tally = '{}'
       WHERE projection = $1 AND generation = $2 AND written_at >= greatest(
         (SELECT max(written_at) FROM build_parts WHERE projection = $1 AND generation = $2),
         (SELECT saved_at FROM checkpoints WHERE projection = $1 AND generation = $2)) - interval '${unsyncedWindowMs} milliseconds'
       RETURNING step`,
      key,
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
