import { Finding } from '@popsvc/contracts/diagnostics';
import { Instant } from '@popsvc/contracts/time';
import { z } from 'zod';

const count = z.int().min(0);
/** Null if the count is unknown, for example because its store does not answer. */
const known = count.nullable();
const seconds = z.number().min(0).nullable();

const Minute = z
  .object({
    minute: Instant.describe('Start of the minute.'),
    accepted: known.describe('Accepted events, including rows of bulk files.'),
    refused: known.describe('Refused events, including rows of bulk files.'),
    lag_events: known.describe('Log events not yet projected by the read model with the largest lag.'),
    freshness_seconds: seconds.describe('Age of the newest event that was in every read model.'),
  })
  .meta({ id: 'OverviewMinute' });

export const OverviewResponse = z
  .object({
    now: Instant.describe('When the response was made.'),
    accepted_per_minute: known.describe('Events, including rows of bulk files, in the last minute of `history`.'),
    refused_per_minute: known.describe('Events; a request rejected before parsing counts as one.'),
    accepted_last_hour: known.describe('Over the minutes of `history`.'),
    refused_last_hour: known.describe('Over the minutes of `history`.'),
    refused_by: z
      .array(
        z.object({
          code: z.string().describe('Error code of the responses.'),
          events: count.describe('Refused events.'),
        }),
      )
      .describe('In that hour, most frequent first; `bulk_refused`: rejected rows of bulk files.'),
    freshness_seconds: seconds.describe('Age of the newest event that is in every read model.'),
    lag_events: known.describe('Log events not yet projected by the read model with the largest lag.'),
    counts: z
      .object({
        networks: known.describe('Networks of the registry, also retired ones.'),
        devices: known.describe('Devices that are not retired: online, offline and never seen.'),
        online: known.describe('Devices with a heartbeat in the last 300 s.'),
        offline: known.describe('At least one heartbeat, but none in the last 300 s.'),
        never_seen: known.describe('Without any heartbeat.'),
        open_outages: known.describe('Of devices and feeders that are not retired.'),
        parked: known.describe('Events parked by a live projection.'),
        quarantined: known.describe('Events in quarantine, waiting for a mapping or for their screen.'),
        running_jobs: known.describe('Bulk jobs that are queued or running.'),
        failed_jobs: known.describe('Bulk jobs that failed in the last 24 hours.'),
        running_replays: known.describe('Replays and rollbacks that have not ended.'),
      })
      .describe('What there is now; null when the store that holds it does not answer.'),
    history: z.array(Minute).describe('The last 60 complete minutes, oldest first; null where no process reported.'),
    problems: z
      .array(Finding)
      .describe('What needs an operator, the most severe first; the outcome is `failed` or `warning`.'),
  })
  .meta({ id: 'Overview' });
export type Overview = z.output<typeof OverviewResponse>;
