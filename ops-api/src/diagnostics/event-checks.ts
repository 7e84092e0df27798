import { PLAY_REFERENCES } from '@popsvc/contracts/responses';
import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import { liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { bulkJobs, quarantine } from '@popsvc/read-models/tables';
import type { UnknownReference } from '@popsvc/read-models/queries';
import { listUnknownReferences } from '../unknown-references/queries.ts';
import type { CheckedShard } from './dependencies.ts';

/** Statistics of bulk jobs. All fields except `stuck` cover the last 24 hours. A field is absent if the caller did not read it. */
interface BulkJobCounts {
  readonly failed: number;
  readonly ended?: number;
  /** Number of unfinished jobs that have made no progress for 15 minutes. */
  readonly stuck?: number;
  readonly lastReason?: string;
  readonly lastFailedMs?: number;
}

export const judgeBulkJobs = ({ failed, ended, stuck = 0, lastReason, lastFailedMs }: BulkJobCounts): Finding => {
  if (stuck > 0) return reportProblem('bulk-jobs', 'stuck', { found: `${stuck} made no progress for 15 minutes` });
  if (failed === 0)
    return reportOk('bulk-jobs', {
      found: ended === undefined ? 'none failed in the last 24 h' : `${ended} ended in the last 24 h, none failed`,
    });
  const ratio = ended === undefined ? `${failed}` : `${failed} of ${ended}`;
  const reason = lastReason === undefined ? '' : `; the latest: ${lastReason}`;
  return reportProblem('bulk-jobs', 'failed', {
    found: `${ratio} failed in the last 24 h${reason}`,
    sinceMs: lastFailedMs,
  });
};

const endedJobsQuery: Sql = sql`
  SELECT countIf(status = 'failed') AS failed, count() AS ended, argMaxIf(reason, pos, status = 'failed') AS last_reason
  FROM ${liveViewName(bulkJobs)} WHERE part = 'ended' AND recorded_at > now() - INTERVAL 1 DAY`;

const stuckJobsQuery: Sql = sql`
  SELECT count() AS stuck FROM (
    SELECT job_id FROM ${liveViewName(bulkJobs)} GROUP BY job_id
    HAVING countIf(part = 'ended') = 0 AND max(recorded_at) < now() - INTERVAL 15 MINUTE)`;

/** Checks for bulk jobs that failed recently or make no progress. */
export const checkBulkJobs = async ({ reader }: Pick<CheckedShard, 'reader'>): Promise<readonly Finding[]> => {
  const [[counts], [waiting]] = await Promise.all([
    reader.rows<{ failed: number; ended: number; last_reason: string }>(endedJobsQuery),
    reader.rows<{ stuck: number }>(stuckJobsQuery),
  ]);
  const { failed = 0, ended = 0, last_reason: lastReason = '' } = counts ?? {};
  return [judgeBulkJobs({ failed, ended, stuck: waiting?.stuck ?? 0, lastReason })];
};

interface QuarantineCounts {
  readonly waiting: number;
  /** Number of waiting events that were received in the last hour. */
  readonly lastHour: number;
  /** The most frequent reason, and the vendor and schema with the most waiting events; absent if the caller did not read them. */
  readonly mostly?: string;
  /** When the earliest waiting event of the last hour was received, ms since 1970. */
  readonly sinceMs?: number;
}

/**
 * Reports the state of the quarantine. Waiting events are normal, but a warning is reported if some of them were received in the
 * last hour.
 */
export const judgeQuarantine = ({ waiting, lastHour, mostly, sinceMs }: QuarantineCounts): Finding => {
  if (waiting === 0) return reportOk('quarantine', { found: 'no event waits' });
  const found = `${waiting} event${waiting === 1 ? ' waits' : 's wait'}, ${lastHour} received in the last hour${mostly === undefined ? '' : `; mostly ${mostly}`}`;
  return lastHour === 0
    ? reportOk('quarantine', { found })
    : reportProblem('quarantine', 'growing', { found, sinceMs });
};

const quarantineQuery: Sql = sql`
  SELECT count() AS waiting, countIf(received_at > now() - INTERVAL 1 HOUR) AS last_hour,
    topK(1)(code)[1] AS code, topK(1)(concat(vendor, ' ', schema_version))[1] AS source
  FROM ${liveViewName(quarantine)} WHERE state = 'waiting'`;

export const checkQuarantine = async ({ reader }: Pick<CheckedShard, 'reader'>): Promise<readonly Finding[]> => {
  const [counts] = await reader.rows<{ waiting: number; last_hour: number; code: string; source: string }>(
    quarantineQuery,
  );
  const { waiting = 0, last_hour: lastHour = 0, code = '', source = '' } = counts ?? {};
  return [judgeQuarantine({ waiting, lastHour, mostly: `${code} of ${source}` })];
};

const referenceNames = { screenId: 'screen', campaignId: 'campaign', creativeId: 'creative' } as const;

/** Maximum number of ids that the check reads. */
const maxReferences = 1_000;

const countNoun = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const describeReferencesOfVendor = (vendor: string, references: readonly UnknownReference[]): string => {
  const counts = PLAY_REFERENCES.map((field) => ({
    name: referenceNames[field],
    count: references.filter((reference) => reference.field === field).length,
  }));
  const named = counts.filter(({ count }) => count > 0).map(({ name, count }) => countNoun(count, name));
  return `${vendor}: ${named.join(', ')}`;
};

/** Reports the ids that the registry does not contain, by vendor. `references` has at most `maxReferences` of them. */
const judgeUnknownReferences = (references: readonly UnknownReference[]): Finding => {
  if (references.length === 0) return reportOk('unknown-references', { found: 'none in plays of the last 24 h' });
  const vendors = [...new Set(references.map(({ vendor }) => vendor))].map((vendor) =>
    describeReferencesOfVendor(
      vendor,
      references.filter((reference) => reference.vendor === vendor),
    ),
  );
  const atLeast = references.length >= maxReferences ? 'at least ' : '';
  const found = `${atLeast}${countNoun(references.length, 'unknown id')} in plays of the last 24 h; ${vendors.join('; ')}`;
  return reportProblem('unknown-references', 'found', { found });
};

/** Checks whether plays name ids that the registry does not contain. */
export const checkUnknownReferences = async ({ reader }: Pick<CheckedShard, 'reader'>): Promise<readonly Finding[]> => {
  const from = Date.now() - 86_400_000;
  return [judgeUnknownReferences(await listUnknownReferences(reader, { from, limit: maxReferences }))];
};

/** One minute of the intake statistics; counts are null when no command-api process reported them. */
interface IntakeMinute {
  readonly minute: string;
  readonly accepted: number | null;
  readonly refused: number | null;
}

interface RecentIntake {
  /** Intake statistics of complete minutes, oldest first. */
  readonly history: readonly IntakeMinute[];
  /** The number of events refused in the last hour, by error code; the most frequent code comes first. */
  readonly refusedBy: readonly { readonly code: string; readonly events: number }[];
}

/**
 * A problem is reported only if two conditions hold for the last `recentMinutes` minutes: at least `minRefused` events were
 * refused, and the refused events made up at least the fraction `minRefusedShare` of all received events.
 */
const minRefused = 50;
const minRefusedShare = 0.05;
const recentMinutes = 15;

/** Reports whether an unusual share of the received events was refused. */
export const judgeRefusals = ({ history, refusedBy }: RecentIntake): Finding => {
  const recent = history.slice(-recentMinutes);
  const sumOf = (field: 'accepted' | 'refused') => recent.reduce((sum, minute) => sum + (minute[field] ?? 0), 0);
  const refused = sumOf('refused');
  const received = sumOf('accepted') + refused;
  const found = `${refused} of ${received} events of the last ${recentMinutes} minutes were refused`;
  if (refused < minRefused || refused < minRefusedShare * received) return reportOk('refusals', { found });
  const mostFrequent = refusedBy[0]?.code;
  const first = recent.find((minute) => (minute.refused ?? 0) > 0);
  return reportProblem('refusals', mostFrequent === 'bulk_refused' ? 'bulk-rows' : 'many', {
    found: mostFrequent === undefined ? found : `${found}; most of the hour: ${mostFrequent}`,
    sinceMs: first && Date.parse(first.minute),
  });
};

/** Number of minutes to ignore at the end of the history, because their statistics may not be stored yet. */
const ignoredMinutes = 2;

/** Reports a problem if command-api wrote intake statistics earlier in the history but has stopped writing them. */
export const judgeIntakeReports = ({ history }: Pick<RecentIntake, 'history'>): Finding => {
  const subject = 'command-api';
  const lastReported = history.findLastIndex(({ accepted }) => accepted !== null);
  if (lastReported < 0 || lastReported >= history.length - ignoredMinutes)
    return reportOk('service', { subject, found: 'reports its intake, or has not started' });
  return reportProblem('service', 'not-reporting', {
    subject,
    found: 'no process reports its intake',
    sinceMs: Date.parse(history[lastReported + 1]!.minute),
  });
};
