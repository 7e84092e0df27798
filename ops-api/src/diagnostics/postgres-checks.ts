import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import {
  compareMigrations,
  countDeliveries,
  findDamagedTables,
  readChecksumState,
  readCurrentSigningKey,
} from '@popsvc/platform/postgres';
import type { DiagnosticsDependencies } from './dependencies.ts';

type PostgresDependencies = Pick<DiagnosticsDependencies, 'postgres'>;

/** Checks that the PostgreSQL schema matches the running software version. */
export const checkMigrations = async ({ postgres }: PostgresDependencies): Promise<readonly Finding[]> => {
  const { due, unknown } = await compareMigrations(postgres);
  if (due.length > 0) return [reportProblem('migrations', 'missing', { found: `missing: ${due.join(', ')}` })];
  if (unknown.length > 0)
    return [reportProblem('migrations', 'newer', { found: `applied by a newer release: ${unknown.join(', ')}` })];
  return [reportOk('migrations', { found: 'all are applied' })];
};

/**
 * Checks that PostgreSQL can notice damaged files, and that it has found none. Reads all tables, except very large ones, for at most
 * `timeoutMs`.
 */
export const checkPostgresData = async (
  { postgres }: PostgresDependencies,
  timeoutMs: number,
): Promise<readonly Finding[]> => {
  const { isOn, failures } = await readChecksumState(postgres);
  const damaged = await findDamagedTables(postgres, timeoutMs);
  if (damaged.length > 0)
    return damaged.map(({ table, reason }) =>
      reportProblem('postgresql-data', 'damaged', { subject: table, found: reason }),
    );
  if (failures > 0)
    return [reportProblem('postgresql-data', 'damaged', { found: `${failures} checksum failures were counted` })];
  if (!isOn) return [reportProblem('postgresql-data', 'no-checksums', { found: 'data checksums are off' })];
  return [reportOk('postgresql-data', { found: 'data checksums are on; no failure' })];
};

const daySeconds = 86_400;
/**
 * Maximum age of the signing key. Automatic rotation is due after 30 days, so it has failed if the key is older than this.
 */
const maxKeyAgeDays = 33;

/** Checks that the signing key for access tokens was rotated on time. */
export const checkSigningKey = async ({ postgres }: PostgresDependencies): Promise<readonly Finding[]> => {
  const key = await readCurrentSigningKey(postgres);
  if (!key)
    return [
      reportOk('signing-key', { found: 'none: no access token was requested, or another provider issues the tokens' }),
    ];
  const days = Math.floor(key.ageSeconds / daySeconds);
  if (days > maxKeyAgeDays)
    return [reportProblem('signing-key', 'old', { found: `${days} days old; it is due at 30 days` })];
  return [reportOk('signing-key', { found: `${days} days old` })];
};

/** Reports notices that were not delivered in all attempts. */
export const checkWebhooks = async ({ postgres }: PostgresDependencies): Promise<readonly Finding[]> => {
  const { pending, dead, subscriptionsWithDead } = await countDeliveries(postgres);
  if (dead === 0) return [reportOk('webhooks', { found: `no dead letters; ${pending} notices are pending` })];
  return [
    reportProblem('webhooks', 'dead-letters', {
      found: `${dead} notices for ${subscriptionsWithDead} subscriptions are dead letters`,
    }),
  ];
};
