import { inTransaction } from './in-transaction.ts';
import type { Queryable, Postgres } from './open-records.ts';
import { replayColumns, replayOf, type ReplayRecord } from './replays.ts';

export interface ReplayRequest {
  readonly projection: string;
  /** Of the projection whose code builds it. */
  readonly version: number;
  readonly verify: boolean;
}

/** The live generation; others who plan for the same projection wait for this transaction. */
const liveOf = async (client: Queryable, projection: string): Promise<number | undefined> => {
  const { rows } = await client.query<{ live: number }>(
    'SELECT live_generation AS live FROM read_models WHERE projection = $1 FOR UPDATE',
    [projection],
  );
  return rows[0]?.live;
};

const insert = async (
  client: Queryable,
  { projection, kind, from, to, verify }: Pick<ReplayRecord, 'projection' | 'kind' | 'from' | 'to' | 'verify'>,
): Promise<ReplayRecord | undefined> => {
  const { rows } = await client.query(
    `INSERT INTO replays (projection, kind, from_generation, to_generation, verify, state)
     VALUES ($1, $2, $3, $4, $5, 'planned') ON CONFLICT (projection) WHERE ended_at IS NULL DO NOTHING
     RETURNING ${replayColumns}`,
    [projection, kind, from, to, verify],
  );
  return rows.map(replayOf)[0];
};

/** Plans to build the next generation of a projection; undefined when readers of it are being brought somewhere already. */
export const planReplay = (postgres: Postgres, wish: ReplayRequest): Promise<ReplayRecord | undefined> =>
  inTransaction(postgres, async (client) => {
    const { projection, version, verify } = wish;
    const from = await liveOf(client, projection);
    if (from === undefined) return undefined;
    // A number is used once: somebody who still writes to tables of an earlier build must not meet a later one's.
    const { rows } = await client.query<{ next: number }>(
      `SELECT 1 + greatest(
         (SELECT max(generation) FROM generations WHERE projection = $1),
         (SELECT max(to_generation) FROM replays WHERE projection = $1)) AS next`,
      [projection],
    );
    const to = rows[0]?.next ?? from + 1;
    const planned = await insert(client, { projection, kind: 'replay', from, to, verify });
    if (planned)
      await client.query(
        `INSERT INTO generations (projection, generation, state, version, tally) VALUES ($1, $2, 'building', $3, '{}')`,
        [projection, to, version],
      );
    return planned;
  });

/** `busy`: readers are being brought somewhere already; `none`: no generation is kept. */
export type RollbackRefusal = 'busy' | 'none';

/** Plans to bring readers back to the generation that was live before. */
export const planRollback = (postgres: Postgres, projection: string): Promise<ReplayRecord | RollbackRefusal> =>
  inTransaction(postgres, async (client) => {
    const from = await liveOf(client, projection);
    const { rows } = await client.query<{ to: number }>(
      `SELECT generation AS "to" FROM generations WHERE projection = $1 AND state = 'kept'
       ORDER BY switched_at DESC NULLS LAST, generation DESC LIMIT 1`,
      [projection],
    );
    const to = rows[0]?.to;
    if (from === undefined || to === undefined) return 'none';
    return (await insert(client, { projection, kind: 'rollback', from, to, verify: false })) ?? 'busy';
  });
