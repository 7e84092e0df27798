import { type AnalystLogin, analystLogins, openRecords } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/runtime';

/** Who may log in as an analyst; none on a PostgreSQL that the service never used. */
export const analystsIn = async (databaseUrl: string): Promise<readonly AnalystLogin[]> => {
  const records = openRecords({ url: databaseUrl, log: createLog('start', 'warn'), name: 'start' });
  try {
    return await analystLogins(records);
  } finally {
    await records.end();
  }
};
