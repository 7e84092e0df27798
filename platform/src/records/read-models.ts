import type { Queryable } from './open-records.ts';

/** The generation readers see of a projection; the first is 1. */
export const liveGeneration = async (records: Queryable, projection: string): Promise<number> => {
  await records.query('INSERT INTO read_models (projection, live_generation) VALUES ($1, 1) ON CONFLICT DO NOTHING', [
    projection,
  ]);
  const { rows } = await records.query<{ live_generation: number }>(
    'SELECT live_generation FROM read_models WHERE projection = $1',
    [projection],
  );
  return rows[0]?.live_generation ?? 1;
};
