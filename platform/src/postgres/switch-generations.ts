import { type ReplayCoordination, updateReplay } from './conduct-replay.ts';
import { inTransaction } from './in-transaction.ts';
import type { Queryable, Postgres } from './open-records.ts';
import type { ReplayRecord } from './replays.ts';

export interface GenerationSwitch extends ReplayCoordination, Pick<ReplayRecord, 'from' | 'to' | 'pausedMs'> {
  /** How long the one before is kept. */
  readonly keepMs: number;
  /** How long it stands still yet: who was pointed at it a moment ago must not see it ahead of the new one. */
  readonly lingerMs: number;
  readonly stoppedBy: WriterStopProof;
}

/** Why a generation does not move: its writer told where it is held, or nobody but the lease's epoch may write it. */
export type WriterStopProof = { readonly heldAt: bigint } | { readonly epoch: bigint };

/**
 * Whether the live generation has not moved: no batch begins before this transaction ends. A hold counts by the clock of this
 * moment: who was stopped since the transaction began must not believe in one that ended meanwhile.
 */
const isLiveGenerationStopped = async (
  client: Queryable,
  { projection, from, stoppedBy }: GenerationSwitch,
): Promise<boolean> => {
  const { rows } = await client.query<{ live: boolean; held: boolean | null; at: string | null }>(
    `SELECT state = 'live' AS live, held_until > clock_timestamp() AS held, held_at::text AS at FROM generations
     WHERE projection = $1 AND generation = $2 FOR UPDATE`,
    [projection, from],
  );
  const [row] = rows;
  if (!row?.live) return false;
  if ('heldAt' in stoppedBy) return row.held === true && row.at === stoppedBy.heldAt.toString();
  const { rowCount } = await client.query(
    'SELECT 1 FROM leases WHERE projection = $1 AND generation = $2 AND epoch = $3 FOR SHARE',
    [projection, from, stoppedBy.epoch],
  );
  return rowCount === 1;
};

/**
 * Makes another generation the live one, and ends the replay with it: one step. Those that were kept before are to be dropped.
 * False: the live one may have moved meanwhile, or somebody else conducts the replay; nothing was changed.
 */
export const switchGenerations = (postgres: Postgres, change: GenerationSwitch): Promise<boolean> =>
  inTransaction(postgres, async (client) => {
    const { projection, from, to, keepMs, lingerMs, pausedMs } = change;
    if (!(await isLiveGenerationStopped(client, change))) return false;
    if (!(await updateReplay(client, change, { state: 'done', pausedMs, error: null }))) return false;
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
