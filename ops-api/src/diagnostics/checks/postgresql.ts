import { createCheck, type Finding, storeProblems } from '@popsvc/contracts/diagnostics';
import type { ServiceEvaluation } from '../dependencies.ts';
import { reportFailure } from '../failures.ts';

const check = createCheck('postgresql', 'PostgreSQL answers and accepts writes.', storeProblems('postgresql'));

const postgresVersion =
  "SELECT current_setting('server_version') AS version, current_setting('transaction_read_only') AS read_only";

export const reportPostgresFailure = (error: unknown): Finding => reportFailure(check, error);

export const postgresql: ServiceEvaluation = {
  check,
  async evaluate({ postgres }) {
    try {
      const { rows } = await postgres.query<{ version: string; read_only: string }>(postgresVersion);
      if (rows[0]?.read_only === 'on') throw new Error('the server is a standby, which accepts no writes');
      return [check.ok({ found: `answers, version ${rows[0]?.version ?? 'unknown'}` })];
    } catch (error) {
      return [reportPostgresFailure(error)];
    }
  },
};
