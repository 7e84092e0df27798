import { createCheck, failed, warning } from '@popsvc/contracts/diagnostics';
import { compareMigrations } from '@popsvc/platform/postgres';
import type { ServiceEvaluation } from '../dependencies.ts';

const check = createCheck('migrations', 'The tables of PostgreSQL are those of this release.', {
  missing: failed(
    'Restart a service: each migrates the tables when it starts. If a service has run before, the database is a restored older copy, which is safe.',
  ),
  newer: warning('Run that release everywhere, or restore the copy of the database from before the upgrade.'),
});

export const migrations: ServiceEvaluation = {
  check,
  needs: ['postgresql'],
  async evaluate({ postgres }) {
    const { due, unknown } = await compareMigrations(postgres);
    if (due.length > 0) return [check.problem('missing', { found: `missing: ${due.join(', ')}` })];
    if (unknown.length > 0)
      return [check.problem('newer', { found: `applied by a newer release: ${unknown.join(', ')}` })];
    return [check.ok({ found: 'all are applied' })];
  },
};
