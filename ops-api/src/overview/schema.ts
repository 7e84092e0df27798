import { Instant } from '@popsvc/contracts/time';
import { z } from 'zod';

const count = z.int().min(0);
/** Null when the store that holds the value does not answer. */
const known = count.nullable();
const seconds = z.number().min(0).nullable();

const Minute = z
  .object({
    minute: Instant.describe('Its beginning.'),
    accepted: known,
    refused: known,
    lag_events: known,
    freshness_seconds: seconds,
  })
  .meta({ id: 'OverviewMinute' });

export const SEVERITIES = ['warning', 'failed'] as const;

const Problem = z
  .object({
    severity: z.enum(SEVERITIES),
    what: z.string(),
    since: Instant.nullable().describe('Null where nobody knows.'),
    advice: z.string(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.output<typeof Problem>;

export const OverviewResponse = z
  .object({
    now: Instant,
    accepted_per_minute: known.describe('Events, rows of bulk files among them, in the last minute of `history`.'),
    refused_per_minute: known.describe('Events; a request that was refused before they were seen stands for one.'),
    accepted_last_hour: known.describe('In the minutes of `history`.'),
    refused_last_hour: known,
    refused_by: z
      .array(z.object({ code: z.string(), events: count }))
      .describe('In that hour, the most frequent first; `bulk_refused`: bad rows of bulk files.'),
    freshness_seconds: seconds.describe('Age of the newest event that is in every read model.'),
    lag_events: known.describe('Events that the read model furthest behind has yet to take in.'),
    counts: z.object({
      networks: known,
      devices: known.describe('Without retired ones: online, offline and never heard.'),
      online: known,
      offline: known.describe('Heard once, but not in the last 300 s.'),
      never_heard: known,
      open_outages: known.describe('Of devices and feeders that are not retired.'),
      parked: known.describe('Events that a live projection set aside.'),
      quarantined: known.describe('Events that wait for a mapping that fits, or for their screen.'),
      running_jobs: known.describe('Bulk jobs that are queued or at work.'),
      failed_jobs: known.describe('Bulk jobs that failed in the last 24 hours.'),
      running_replays: known,
    }),
    history: z
      .array(Minute)
      .describe('The last 60 minutes that are over and told, the oldest first; null where nobody told anything.'),
    problems: z.array(Problem).describe('What should be looked at, the worst first.'),
  })
  .meta({ id: 'Overview' });
export type Overview = z.output<typeof OverviewResponse>;
