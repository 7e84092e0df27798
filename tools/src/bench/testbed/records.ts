import { randomBytes } from 'node:crypto';
import { startPostgres } from '@popsvc/embedded/postgres';
import { migrate, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';

export const quiet = createLog('bench', 'silent');

/** PostgreSQL as the service runs it, with the service's schema. */
export const startRecords = async (dir: string): Promise<{ readonly url: string; stop(): Promise<void> }> => {
  const server = await startPostgres({ dataDir: dir, port: 0, password: randomBytes(12).toString('hex') });
  await withRecords(server.url, (postgres) => migrate(postgres));
  return { url: server.url, stop: () => server.stop() };
};

/** A short errand in PostgreSQL. */
export const withRecords = async <Told>(url: string, errand: (postgres: Postgres) => Promise<Told>): Promise<Told> => {
  const postgres = openPostgres({ url, log: quiet, name: 'bench' });
  try {
    return await errand(postgres);
  } finally {
    await postgres.end();
  }
};
