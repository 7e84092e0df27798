import { inTransaction } from './in-transaction.ts';
import type { LeaseKey } from './leases.ts';
import type { Queryable, Postgres } from './open-records.ts';

export interface GenerationToDrop extends LeaseKey {
  /** Of the projection whose code built it. */
  readonly version: number;
}

/** Marks what is kept past its time, and says what is to be dropped. The live one never is. */
export const collectGenerationsToDrop = async (postgres: Queryable): Promise<readonly GenerationToDrop[]> => {
  await postgres.query(
    `UPDATE generations g SET state = 'dropping' WHERE state = 'kept' AND drop_after < now()
     AND NOT EXISTS (SELECT 1 FROM replays r
       WHERE r.projection = g.projection AND r.to_generation = g.generation AND r.ended_at IS NULL)`,
  );
  const { rows } = await postgres.query<GenerationToDrop>(
    `SELECT projection, generation, version FROM generations WHERE state = 'dropping' ORDER BY projection, generation`,
  );
  return rows;
};

/** Of one that was being built: nobody goes on with it. */
export const abandonGeneration = async (postgres: Queryable, { projection, generation }: LeaseKey): Promise<void> => {
  await postgres.query(
    `UPDATE generations SET state = 'dropping' WHERE projection = $1 AND generation = $2 AND state = 'building'`,
    [projection, generation],
  );
};

/** Forgets a generation whose tables are gone. */
export const deleteGeneration = (postgres: Postgres, { projection, generation }: LeaseKey): Promise<void> =>
  inTransaction(postgres, async (client) => {
    const { rowCount } = await client.query(
      `DELETE FROM generations WHERE projection = $1 AND generation = $2 AND state = 'dropping'`,
      [projection, generation],
    );
    if (rowCount === 0) return;
    for (const table of ['checkpoints', 'standings', 'parked_events'])
      await client.query(`DELETE FROM ${table} WHERE projection = $1 AND generation = $2`, [projection, generation]);
  });
