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
    .describe('Compare the new generation with the live one at one log position before the switch.'),
  source: z
    .enum(['log', 'facts'])
    .optional()
    .describe(
      '`log`: builds all tables from the log. `facts`: copies the facts of the live generation and computes only the derived rows. Default: `facts` if only the derivation changed since the live generation was built, otherwise `log`.',
    ),
  from_version: z
    .int()
    .min(0)
    .optional()
    .describe('Replay only if this version of the projection or an older one built the live generation.'),
});

const ReplayDifference = z
  .object({
    table: z.string().describe('Table whose rows differ.'),
    network: count.describe('0 where the table has none.'),
    day: z.string().nullable().describe('UTC; null where the table has no time.'),
    rows_before: count.describe('Rows in the live generation.'),
    rows_after: count.describe('Rows in the new generation.'),
    columns: z
      .array(z.string())
      .nullable()
      .describe('Columns whose content differs; null if the numbers of rows differ, or the table is not derived.'),
  })
  .meta({ id: 'ReplayDifference' });

const ReplayStep = z
  .object({
    name: z
      .enum(['days', 'rows'])
      .describe('`days`: derives the rows of all days with facts; `rows`: compares with the live generation.'),
    done: count.describe('Days or rows that are done.'),
    of: count.describe('Days or rows in total.'),
  })
  .meta({ id: 'ReplayStep' });

export const Replay = z
  .object({
    id: z.int().describe('Id of the replay or rollback, as in paths.'),
    name: z.string().describe('The projection, with its shard if there are several.'),
    kind: z
      .enum(['replay', 'rollback'])
      .describe('replay: builds a new generation; rollback: returns to a kept generation.'),
    state: z
      .enum(['planned', 'building', 'catching_up', 'verifying', 'switching', 'done', 'failed', 'cancelled'])
      .describe('planned: waits for a process; verifying: compares generations; done, failed, cancelled: ended.'),
    source: z.enum(['log', 'facts']).nullable().describe('What it builds the generation from; null for a rollback.'),
    source_reason: z.string().nullable().describe('Why this source was chosen; null for a rollback.'),
    from_generation: z.int().describe('The generation that was live at the request.'),
    to_generation: z.int().describe('The generation to switch readers to.'),
    position: position.describe('Log position up to which it is built.'),
    target: position.describe('Log position of the live generation at its last reading.'),
    events: count.describe('Items of events folded, or facts whose rows were derived, so far.'),
    total_events: count.nullable().describe('Estimated number of these items or facts; null if unknown.'),
    events_per_second: count.describe('`events` by second since the start, on average.'),
    seconds: z.number().min(0).describe('Duration since the start.'),
    seconds_left: count.nullable().describe('An estimate; null if unknown.'),
    verify: z.boolean().describe('Whether the result is compared before the switch.'),
    verified: z.boolean().describe('Whether the comparison with the live generation found no difference.'),
    step: ReplayStep.nullable().describe('The step after folding; null if there is none.'),
    differences: z.array(ReplayDifference).describe('At most 100.'),
    paused_seconds: z.number().min(0).describe('Total time the live generation was paused.'),
    error: z.string().nullable().describe('The error it failed with or is retrying after.'),
    is_cancelling: z.boolean().describe('Whether a cancellation is requested and it has not ended.'),
    requested_at: Instant.describe('When it was requested.'),
    started_at: Instant.nullable().describe('When a process started it; null before.'),
    ended_at: Instant.nullable().describe('When it ended; null before.'),
  })
  .meta({ id: 'Replay' });

export const ReplayNotNeeded = z
  .object({
    name: z.string().describe('The projection, as in the path.'),
    generation: z.int().describe('The live generation, which is recent enough.'),
    version: z.int().describe('Of the projection that built the live generation.'),
    needed: z.literal(false).describe('No replay was started.'),
  })
  .meta({ id: 'ReplayNotNeeded' });

const instantOrNull = (at: Date | null) => at && instantOf(at.getTime());

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
    source: record.kind === 'replay' ? record.source : null,
    source_reason: record.kind === 'replay' ? record.sourceReason : null,
    from_generation: record.from,
    to_generation: record.to,
    position: record.position.toString(),
    target: record.target.toString(),
    events,
    // A replay also projects events that are appended while it runs, so `events` may exceed the total at the start.
    total_events: total === null ? null : Math.max(total, events),
    events_per_second: Math.round(perSecond),
    seconds: Math.round(ms / 100) / 10,
    seconds_left: left === null ? null : Math.max(0, Math.ceil(left)),
    verify: record.verify,
    verified: record.verified,
    step: endedAt === null ? record.step : null,
    differences: record.differences.map((each) => ({ ...each, columns: each.columns ? [...each.columns] : null })),
    paused_seconds: record.pausedMs / 1_000,
    error: record.error,
    is_cancelling: record.cancelRequestedAt !== null && endedAt === null,
    requested_at: instantOf(record.requestedAt.getTime()),
    started_at: instantOrNull(startedAt),
    ended_at: instantOrNull(endedAt),
  };
};
