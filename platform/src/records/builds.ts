import { insertParts, type NewBuildPart } from './build-parts.ts';
import { inTransaction } from './in-transaction.ts';
import type { LeaseKey } from './leases.ts';
import type { Queryable, Records } from './open-records.ts';

/** A generation that is made of the whole log at once, up to a position. */
export interface BuildRecord {
  readonly upTo: bigint;
  readonly logId: string;
}

export const readBuild = async (
  records: Queryable,
  { projection, generation }: LeaseKey,
): Promise<BuildRecord | undefined> => {
  const { rows } = await records.query<{ up_to: string; log_id: string }>(
    'SELECT up_to, log_id FROM builds WHERE projection = $1 AND generation = $2',
    [projection, generation],
  );
  return rows[0] && { upTo: BigInt(rows[0].up_to), logId: rows[0].log_id };
};

/** Writes down what a build consists of; its windows follow once its facts are in. */
export const beginBuild = (
  records: Records,
  key: LeaseKey,
  { upTo, logId }: BuildRecord,
  facts: readonly NewBuildPart[],
): Promise<void> =>
  inTransaction(records, async (client) => {
    await client.query('INSERT INTO builds (projection, generation, up_to, log_id) VALUES ($1, $2, $3, $4)', [
      key.projection,
      key.generation,
      upTo,
      logId,
    ]);
    await insertParts(client, key, 'facts', facts);
    await insertParts(client, key, 'rest', [{ starts: 0n, ends: upTo, network: 0, slices: 1 }]);
  });

/** For the transaction in which the generation's checkpoint says that it is made. */
export const endBuild = async (client: Queryable, { projection, generation }: LeaseKey): Promise<void> => {
  await client.query('DELETE FROM builds WHERE projection = $1 AND generation = $2', [projection, generation]);
};
