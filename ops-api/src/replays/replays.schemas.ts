import { Instant } from '@popsvc/contracts/time';
import { z } from 'zod';

const count = z.int().min(0);
const position = z.string().describe('In the log.');

export const ProjectionAddress = z.object({ name: z.string().describe('Of the projection.') });
export const ReplayAddress = z.object({ id: z.string().describe('Of the replay.') });

export const ReplayWanted = z.strictObject({
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

export const Difference = z
  .object({
    table: z.string(),
    network: count.describe('0 where the table has none.'),
    day: z.string().nullable().describe('UTC; null where the table has no time.'),
    rows_before: count,
    rows_after: count,
  })
  .meta({ id: 'ReplayDifference' });

export const Account = z
  .object({
    type: z.string().describe('Of events.'),
    in_log: count.describe('As the log has them, read once more and counted.'),
    made_rows: count.describe('As the generation counted them while it was built, like the next two.'),
    set_aside: count.describe('Passed over by a decision of operators, or taken later by one.'),
    made_none: count.describe('Taken, and no row of their own was made.'),
    is_right: z.boolean().describe('Whether it adds up, and no row is missing of a type that makes one of each event.'),
  })
  .meta({ id: 'ReplayAccount' });

export const Step = z
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
    step: Step.nullable().describe('What is done besides folding, once that is all; null: nothing.'),
    accounts: z
      .array(Account)
      .nullable()
      .describe('What became of the events of each type, held against the log; null: that was not looked at.'),
    differences: z.array(Difference).describe('At most a hundred.'),
    stood_still_seconds: z.number().min(0).describe('For how long the live generation was held, in all.'),
    error: z.string().nullable().describe('Why it failed, or after what it tries again.'),
    is_cancelling: z.boolean(),
    asked_at: Instant,
    started_at: Instant.nullable(),
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'Replay' });

export const NotNeeded = z
  .object({
    name: z.string(),
    generation: z.int(),
    version: z.int().describe('Of the projection that built the live generation.'),
    needed: z.literal(false),
  })
  .meta({ id: 'ReplayNotNeeded' });
