import { createCheck, failed, warning } from '@popsvc/contracts/diagnostics';
import { findDamagedTables, readChecksumState } from '@popsvc/platform/postgres';
import { defaultCheckTimeoutMs, type ServiceEvaluation } from '../dependencies.ts';

const check = createCheck(
  'postgresql-data',
  'The tables of PostgreSQL are undamaged, and its data checksums are on, so that damage is noticed.',
  {
    damaged: failed(
      'A file of the database is damaged: check the disk, stop the services and restore PostgreSQL from its backup (guide for operators, Restore). On a server that keeps its old files, run pg_stat_reset() after that.',
    ),
    'no-checksums': warning(
      'Stop PostgreSQL, run pg_checksums --enable on its data folder, and start it again. For the embedded PostgreSQL, restart the service where pg_checksums is installed.',
    ),
  },
);

export const postgresqlData: ServiceEvaluation = {
  check,
  needs: ['postgresql'],
  async evaluate({ postgres, checkTimeoutMs = defaultCheckTimeoutMs }) {
    const { isOn, failures } = await readChecksumState(postgres);
    const damaged = await findDamagedTables(postgres, checkTimeoutMs);
    if (damaged.length > 0)
      return damaged.map(({ table, reason }) => check.problem('damaged', { subject: table, found: reason }));
    if (failures > 0) return [check.problem('damaged', { found: `${failures} checksum failures were counted` })];
    if (!isOn) return [check.problem('no-checksums', { found: 'data checksums are off' })];
    return [check.ok({ found: 'data checksums are on; no failure' })];
  },
};
