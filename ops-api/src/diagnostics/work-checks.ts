import { liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { readCurrentSigningKey, compareMigrations } from '@popsvc/platform/postgres';
import { bulkJobs, quarantine } from '@popsvc/read-models/tables';
import type { DiagnosticsDependencies } from './dependencies.ts';
import { failed, type Finding, ok, warning } from './findings.ts';

type WorkDependencies = Pick<DiagnosticsDependencies, 'reader'>;

const jobsQuery: Sql = sql`
  SELECT countIf(status = 'failed') AS failed, count() AS ended, argMaxIf(job_id, pos, status = 'failed') AS latest,
    argMaxIf(reason, pos, status = 'failed') AS reason
  FROM ${liveViewName(bulkJobs)} WHERE part = 'ended' AND recorded_at > now() - INTERVAL 1 DAY`;

const stuckQuery: Sql = sql`
  SELECT count() AS waiting FROM (
    SELECT job_id FROM ${liveViewName(bulkJobs)} GROUP BY job_id
    HAVING countIf(part = 'ended') = 0 AND max(recorded_at) < now() - INTERVAL 15 MINUTE)`;

/** Checks for bulk jobs that failed recently or make no progress. */
export const checkJobs = async ({ reader }: WorkDependencies): Promise<readonly Finding[]> => {
  const check = 'bulk jobs';
  const [[ended], [stuck]] = await Promise.all([
    reader.rows<{ failed: number; ended: number; latest: string; reason: string }>(jobsQuery),
    reader.rows<{ waiting: number }>(stuckQuery),
  ]);
  if (stuck && stuck.waiting > 0)
    return [
      warning(
        check,
        `${stuck.waiting} made no progress for 15 minutes`,
        'Check that a worker runs and is ready; popsvc jobs list shows the jobs.',
      ),
    ];
  if (ended && ended.failed > 0)
    return [
      warning(
        check,
        `${ended.failed} of ${ended.ended} failed in the last 24 h; the latest: ${ended.reason}`,
        `popsvc jobs show ${ended.latest} shows why; the vendor sends the file again once it is corrected.`,
      ),
    ];
  return [ok(check, `${ended?.ended ?? 0} ended in the last 24 h, none failed`)];
};

const quarantineQuery: Sql = sql`
  SELECT count() AS waiting, countIf(received_at > now() - INTERVAL 1 HOUR) AS hour,
    topK(1)(code)[1] AS commonest, topK(1)(concat(vendor, ' ', schema_version))[1] AS whose
  FROM ${liveViewName(quarantine)} WHERE state = 'waiting'`;

/** Checks the quarantine. Some waiting events are normal, new ones in the last hour are a warning. */
export const checkQuarantine = async ({ reader }: WorkDependencies): Promise<readonly Finding[]> => {
  const check = 'quarantine';
  const [found] = await reader.rows<{ waiting: number; hour: number; commonest: string; whose: string }>(
    quarantineQuery,
  );
  if (!found || found.waiting === 0) return [ok(check, 'no event waits')];
  const text = `${found.waiting} events wait, ${found.hour} came in the last hour; mostly ${found.commonest} of ${found.whose}`;
  return found.hour === 0
    ? [ok(check, text)]
    : [
        warning(
          check,
          text,
          'popsvc events quarantine says why; a mapping that fits, or the screen in the registry, releases them.',
        ),
      ];
};

type PostgresDependencies = Pick<DiagnosticsDependencies, 'postgres'>;

/** Checks that the PostgreSQL schema matches this build. */
export const checkMigrations = async ({ postgres }: PostgresDependencies): Promise<readonly Finding[]> => {
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
/** The key is rotated automatically at 30 days. */
const maxKeyAgeDays = 33;

/** Checks that the key that signs access tokens is rotated in time. */
export const checkSigningKey = async ({ postgres }: PostgresDependencies): Promise<readonly Finding[]> => {
  const check = 'signing key';
  const key = await readCurrentSigningKey(postgres);
  if (!key) return [ok(check, 'none yet: no access token was asked for, or another provider gives them out')];
  const days = Math.floor(key.ageSeconds / daySeconds);
  if (days > maxKeyAgeDays)
    return [
      warning(
        check,
        `${days} days old, and should have been replaced at 30`,
        'popsvc signing-keys rotate replaces it now; it happens by itself when a token is asked for.',
      ),
    ];
  return [ok(check, `${days} days old`)];
};
