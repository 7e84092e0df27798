import { type Conducting, noteReplay } from './conduct-replay.ts';
import { inTransaction } from './in-transaction.ts';
import type { Queryable, Records } from './open-records.ts';
import type { ReplayRecord } from './replays.ts';

export interface Switch extends Conducting, Pick<ReplayRecord, 'from' | 'to' | 'stoodStillMs'> {
  /** How long the one before is kept. */
  readonly keepMs: number;
  /** How long it stands still yet: who was pointed at it a moment ago must not see it ahead of the new one. */
  readonly lingerMs: number;
  readonly stillBy: StillBy;
}

/** Why a generation does not move: its writer told where it is held, or nobody but the lease's epoch may write it. */
export type StillBy = { readonly heldAt: bigint } | { readonly epoch: bigint };

/**
 * Whether the live generation has not moved: no batch begins before this transaction ends. A hold counts by the clock of this
 * moment: who was stopped since the transaction began must not believe in one that ended meanwhile.
 */
const standsStill = async (client: Queryable, { projection, from, stillBy }: Switch): Promise<boolean> => {
  const { rows } = await client.query<{ live: boolean; held: boolean | null; at: string | null }>(
    `SELECT state = 'live' AS live, held_until > clock_timestamp() AS held, held_at::text AS at FROM generations
     WHERE projection = $1 AND generation = $2 FOR UPDATE`,
    [projection, from],
  );
  const [row] = rows;
  if (!row?.live) return false;
  if ('heldAt' in stillBy) return row.held === true && row.at === stillBy.heldAt.toString();
  const { rowCount } = await client.query(
    'SELECT 1 FROM leases WHERE projection = $1 AND generation = $2 AND epoch = $3 FOR SHARE',
    [projection, from, stillBy.epoch],
  );
  return rowCount === 1;
};

/**
 * Makes another generation the live one, and ends the replay with it: one step. Those that were kept before are to be dropped.
 * False: the live one may have moved meanwhile, or somebody else conducts the replay; nothing was changed.
 */
export const switchGenerations = (records: Records, change: Switch): Promise<boolean> =>
  inTransaction(records, async (client) => {
    const { projection, from, to, keepMs, lingerMs, stoodStillMs } = change;
    if (!(await standsStill(client, change))) return false;
    if (!(await noteReplay(client, change, { state: 'done', stoodStillMs, error: null }))) return false;
    await client.query(
      `UPDATE generations SET state = 'dropping' WHERE projection = $1 AND state = 'kept' AND generation <> $2`,
      [projection, to],
    );
    await client.query(
      `UPDATE generations SET state = 'kept', drop_after = now() + $3 * interval '1 millisecond',
         held_until = CASE WHEN held_until IS NULL THEN NULL ELSE now() + $4 * interval '1 millisecond' END
       WHERE projection = $1 AND generation = $2`,
      [projection, from, keepMs, lingerMs],
    );
    await client.query(
      `UPDATE generations SET state = 'live', switched_at = now(), drop_after = NULL, held_until = NULL, held_at = NULL
       WHERE projection = $1 AND generation = $2`,
      [projection, to],
    );
    await client.query('UPDATE read_models SET live_generation = $2, switched_at = now() WHERE projection = $1', [
      projection,
      to,
    ]);
    return true;
  });
