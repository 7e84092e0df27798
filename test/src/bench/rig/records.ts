import { randomBytes } from 'node:crypto';
import { startPostgres } from '@popsvc/embedded/postgres';
import { migrate, openRecords, type Records } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/runtime';

export const quiet = createLog('bench', 'silent');

/** PostgreSQL as the service runs it, with the service's schema. */
export const startRecords = async (dir: string): Promise<{ readonly url: string; stop(): Promise<void> }> => {
  const server = await startPostgres({ dataDir: dir, port: 0, password: randomBytes(12).toString('hex') });
  await withRecords(server.url, (records) => migrate(records));
  return { url: server.url, stop: () => server.stop() };
};

/** A short errand in PostgreSQL. */
export const withRecords = async <Told>(url: string, errand: (records: Records) => Promise<Told>): Promise<Told> => {
  const records = openRecords({ url, log: quiet, name: 'bench' });
  try {
    return await errand(records);
  } finally {
    await records.end();
  }
};
