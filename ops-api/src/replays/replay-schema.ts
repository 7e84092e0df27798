import { Instant, instantOf } from '@popsvc/contracts/time';
import type { ReplayRecord } from '@popsvc/platform/postgres';
import { z } from 'zod';

const count = z.int().min(0);
const position = z.string().describe('In the log.');

export const ProjectionPath = z.object({ name: z.string().describe('Of the projection.') });
export const ReplayPath = z.object({ id: z.string().describe('Of the replay.') });

export const StartReplayRequest = z.strictObject({
  verify: z
    .boolean()
    .default(false)
    .describe('Compare what was built with what is live, at one position, before readers see it.'),
  from_version: z
    .int()
    .min(0)
    .optional()
    .describe('Only where the live generation was built by this version of the projection or an older one.'),
});

const ReplayDifference = z
  .object({
    table: z.string(),
    network: count.describe('0 where the table has none.'),
    day: z.string().nullable().describe('UTC; null where the table has no time.'),
    rows_before: count,
    rows_after: count,
  })
  .meta({ id: 'ReplayDifference' });

const ReplayAccount = z
  .object({
    type: z.string().describe('Of events.'),
    in_log: count.describe('As the log has them, read once more and counted.'),
    with_rows: count.describe('As the generation counted them while it was built, like the next two.'),
    skipped: count.describe('Passed over by a decision of operators, or taken later by one.'),
    without_rows: count.describe('Taken, and no row of their own was made.'),
    is_consistent: z
      .boolean()
      .describe('Whether it adds up, and no row is missing of a type that makes one of each event.'),
  })
  .meta({ id: 'ReplayAccount' });

const ReplayStep = z
  .object({
    name: z
      .enum(['windows', 'rows', 'log'])
      .describe('`windows`: sets computed from all facts; `rows`: compared with what is live; `log`: events counted.'),
    done: count,
    of: count,
  })
  .meta({ id: 'ReplayStep' });

export const Replay = z
  .object({
    id: z.int(),
    name: z.string(),
    kind: z.enum(['replay', 'rollback']),
    state: z.enum(['planned', 'building', 'catching_up', 'verifying', 'switching', 'done', 'failed', 'cancelled']),
    from_generation: z.int(),
    to_generation: z.int(),
    position: position.describe('In the log, up to which it is built.'),
    target: position.describe('In the log, where the live generation stood when that was asked last.'),
    events: count.describe('Folded so far.'),
    total_events: count.nullable().describe('To fold; null where nobody counted.'),
    events_per_second: count,
    seconds: z.number().min(0).describe('Since it was begun.'),
    seconds_left: count.nullable().describe('About; null where that is not known.'),
    verify: z.boolean().describe('Whether it is to be compared.'),
    verified: z
      .boolean()
      .describe('Whether it was compared, and nothing differed, neither from what is live nor from the log.'),
    step: ReplayStep.nullable().describe('What is done besides folding, once that is all; null: nothing.'),
    accounts: z
      .array(ReplayAccount)
      .nullable()
      .describe('What became of the events of each type, held against the log; null: that was not looked at.'),
    differences: z.array(ReplayDifference).describe('At most a hundred.'),
    paused_seconds: z.number().min(0).describe('Total time for which the live generation was paused.'),
    error: z.string().nullable().describe('Why it failed, or after what it tries again.'),
    is_cancelling: z.boolean(),
    requested_at: Instant,
    started_at: Instant.nullable(),
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'Replay' });

export const ReplayNotNeeded = z
  .object({
    name: z.string(),
    generation: z.int(),
    version: z.int().describe('Of the projection that built the live generation.'),
    needed: z.literal(false),
  })
  .meta({ id: 'ReplayNotNeeded' });

const instantOrNull = (at: Date | null) => at && instantOf(at.getTime());

/** Converts a replay record to its response. */
export const toReplay = (record: ReplayRecord, nowMs: number): z.input<typeof Replay> => {
  const { startedAt, endedAt, events, total, state } = record;
  const ms = startedAt ? Math.max(0, (endedAt?.getTime() ?? nowMs) - startedAt.getTime()) : 0;
  const perSecond = ms > 0 ? (events * 1_000) / ms : 0;
  const left = total === null || state !== 'building' || perSecond === 0 ? null : (total - events) / perSecond;
  return {
    id: record.id,
    name: record.projection,
    kind: record.kind,
    state,
    from_generation: record.from,
    to_generation: record.to,
    position: record.position.toString(),
    target: record.target.toString(),
    events,
    // Events appended during the build are folded too.
    total_events: total === null ? null : Math.max(total, events),
    events_per_second: Math.round(perSecond),
    seconds: Math.round(ms / 100) / 10,
    seconds_left: left === null ? null : Math.max(0, Math.ceil(left)),
    verify: record.verify,
    verified: record.verified,
    step: endedAt === null ? record.step : null,
    accounts: record.accounts && [...record.accounts],
    differences: [...record.differences],
    paused_seconds: record.pausedMs / 1_000,
    error: record.error,
    is_cancelling: record.cancelRequestedAt !== null && endedAt === null,
    requested_at: instantOf(record.requestedAt.getTime()),
    started_at: instantOrNull(startedAt),
    ended_at: instantOrNull(endedAt),
  };
};
