import type { PoolClient } from 'pg';
import type { Postgres } from './open-records.ts';

/** Runs the work on one connection, all of it or nothing. A connection that failed is not used again. */
export const inTransaction = async <T>(postgres: Postgres, work: (client: PoolClient) => Promise<T>): Promise<T> => {
  const client = await postgres.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: unknown) => {
      broken = failure instanceof Error ? failure : new Error(String(failure));
    });
    throw error;
  } finally {
    client.release(broken);
  }
};
