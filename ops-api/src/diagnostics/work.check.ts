import { bulkJobs, quarantine } from '@popsvc/read-models/tables';
import { liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import type { DiagnosticsDependencies } from './doctor-parts.ts';
import { type Finding, ok, warning } from './finding.ts';

type Parts = Pick<DiagnosticsDependencies, 'reader'>;

const jobsQuery: Sql = sql`
  SELECT countIf(status = 'failed') AS failed, count() AS ended, argMaxIf(job_id, pos, status = 'failed') AS latest,
    argMaxIf(reason, pos, status = 'failed') AS reason
  FROM ${liveViewName(bulkJobs)} WHERE part = 'ended' AND recorded_at > now() - INTERVAL 1 DAY`;

const stuckQuery: Sql = sql`
  SELECT count() AS waiting FROM (
    SELECT job_id FROM ${liveViewName(bulkJobs)} GROUP BY job_id
    HAVING countIf(part = 'ended') = 0 AND max(recorded_at) < now() - INTERVAL 15 MINUTE)`;

/** Bulk jobs that failed of late, or that nobody works on. */
export const lookAtJobs = async ({ reader }: Parts): Promise<readonly Finding[]> => {
  const check = 'bulk jobs';
  const [[ended], [stuck]] = await Promise.all([
    reader.rows<{ failed: number; ended: number; latest: string; reason: string }>(jobsQuery),
    reader.rows<{ waiting: number }>(stuckQuery),
  ]);
  if (stuck && stuck.waiting > 0)
    return [
      warning(
        check,
        `${stuck.waiting} made no step for 15 minutes`,
        'Look whether a worker runs and is ready; popsvc jobs list shows the jobs.',
      ),
    ];
  if (ended && ended.failed > 0)
    return [
      warning(
        check,
        `${ended.failed} of ${ended.ended} failed in the last 24 h; the latest: ${ended.reason}`,
        `popsvc jobs show ${ended.latest} says more; the vendor sends the file again once it is mended.`,
      ),
    ];
  return [ok(check, `${ended?.ended ?? 0} ended in the last 24 h, none failed`)];
};

const quarantineQuery: Sql = sql`
  SELECT count() AS waiting, countIf(received_at > now() - INTERVAL 1 HOUR) AS hour,
    topK(1)(code)[1] AS commonest, topK(1)(concat(vendor, ' ', schema_version))[1] AS whose
  FROM ${liveViewName(quarantine)} WHERE state = 'waiting'`;

/** Events that wait: some are in the nature of things, more each hour are not. */
export const lookAtQuarantine = async ({ reader }: Parts): Promise<readonly Finding[]> => {
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
