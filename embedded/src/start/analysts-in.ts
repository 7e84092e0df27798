import { type AnalystLogin, readAnalystLogins, openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';

/** Who may log in as an analyst; none on a PostgreSQL that the service never used. */
export const analystsIn = async (databaseUrl: string): Promise<readonly AnalystLogin[]> => {
  const postgres = openPostgres({ url: databaseUrl, log: createLog('start', 'warn'), name: 'start' });
  try {
    return await readAnalystLogins(postgres);
  } finally {
    await postgres.end();
  }
};
