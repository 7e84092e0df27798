import { insertParts, type NewBuildPart } from './build-parts.ts';
import { inTransaction } from './in-transaction.ts';
import type { LeaseKey } from './leases.ts';
import type { Queryable, Postgres } from './open-records.ts';
import { countEvents, emptyTally, writeTally, addTallies, type Tally } from './tallies.ts';

/** A generation that is made of the whole log at once, up to a position. */
export interface BuildRecord {
  readonly upTo: bigint;
  readonly logId: string;
}

export const readBuild = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
): Promise<BuildRecord | undefined> => {
  const { rows } = await postgres.query<{ up_to: string; log_id: string }>(
    'SELECT up_to, log_id FROM builds WHERE projection = $1 AND generation = $2',
    [projection, generation],
  );
  return rows[0] && { upTo: BigInt(rows[0].up_to), logId: rows[0].log_id };
};

/** Writes down what a build consists of; its windows follow once its facts are in. */
export const beginBuild = (
  postgres: Postgres,
  key: LeaseKey,
  { upTo, logId }: BuildRecord,
  facts: readonly NewBuildPart[],
): Promise<void> =>
  inTransaction(postgres, async (client) => {
    await client.query('INSERT INTO builds (projection, generation, up_to, log_id) VALUES ($1, $2, $3, $4)', [
      key.projection,
      key.generation,
      upTo,
      logId,
    ]);
    await insertParts(client, key, 'facts', facts);
    await insertParts(client, key, 'rest', [{ starts: 0n, ends: upTo, network: 0, slices: 1 }]);
  });

/** What became of its events; undefined where a worker of an older build, which does not count, had a part in it. */
const tallyOf = async (client: Queryable, { projection, generation }: LeaseKey): Promise<Tally | undefined> => {
  const { rows } = await client.query<{ tally: Tally | null; events: number }>(
    `SELECT tally, events::float8 AS events FROM build_parts WHERE projection = $1 AND generation = $2 AND step = 'facts'`,
    [projection, generation],
  );
  if (rows.some(({ tally, events }) => tally === null || countEvents(tally) !== events)) return undefined;
  return rows.reduce((sum, { tally }) => addTallies(sum, tally ?? emptyTally), emptyTally);
};

/**
 * For the transaction in which the generation's checkpoint says that it is made, up to there. Of what it was made stays written
 * down: a power cut may have it done again.
 */
export const completeBuild = async (client: Queryable, key: LeaseKey, upTo: bigint): Promise<void> => {
  const tally = await tallyOf(client, key);
  await writeTally(client, key, tally && { tally, to: upTo });
};
