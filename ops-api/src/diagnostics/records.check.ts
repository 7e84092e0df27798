import { readCurrentSigningKey, compareMigrations } from '@popsvc/platform/postgres';
import type { DiagnosticsDependencies } from './doctor-parts.ts';
import { failed, type Finding, ok, warning } from './finding.ts';

type Parts = Pick<DiagnosticsDependencies, 'postgres'>;

/** Whether the tables are those of this build. */
export const lookAtMigrations = async ({ postgres }: Parts): Promise<readonly Finding[]> => {
  const check = 'migrations of postgresql';
  const { due, unknown } = await compareMigrations(postgres);
  if (due.length > 0)
    return [
      failed(
        check,
        `missing: ${due.join(', ')}`,
        'Restart a service: each brings the tables up to date when it starts. If one has run before, the database is a restored older copy, and that is safe.',
      ),
    ];
  if (unknown.length > 0)
    return [
      warning(
        check,
        `a newer build has been here: ${unknown.join(', ')}`,
        'Run that build everywhere, or restore the copy of the database from before the upgrade.',
      ),
    ];
  return [ok(check, 'all there')];
};

const daySeconds = 86_400;
/** It is replaced by itself at 30 days. */
const oldestDays = 33;

/** Whether the key that signs access tokens is changed as it should be. */
export const lookAtSigningKey = async ({ postgres }: Parts): Promise<readonly Finding[]> => {
  const check = 'signing key';
  const key = await readCurrentSigningKey(postgres);
  if (!key) return [ok(check, 'none yet: no access token was asked for, or another provider gives them out')];
  const days = Math.floor(key.ageSeconds / daySeconds);
  if (days > oldestDays)
    return [
      warning(
        check,
        `${days} days old, and should have been replaced at 30`,
        'popsvc signing-keys rotate replaces it now; it happens by itself when a token is asked for.',
      ),
    ];
  return [ok(check, `${days} days old`)];
};
