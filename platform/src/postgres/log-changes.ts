import type { Queryable } from './pool.ts';

/** From now on, responses that are stored already do not count, because the log may lack their events. A known change has no effect. */
export const recordLogChange = async (postgres: Queryable, change: string): Promise<void> => {
  await postgres.query('INSERT INTO log_changes (change) VALUES ($1) ON CONFLICT DO NOTHING', [change]);
};
