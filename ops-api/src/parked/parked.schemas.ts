import { Instant } from '@popsvc/contracts/time';
import { z } from 'zod';
import { projectionNames } from '@popsvc/read-models/generations';
import { isPosition, listLimit, positionParameter } from '../parameters.ts';

const ProjectionName = z.enum(projectionNames).describe('Projection.');
const position = z.string().describe('In the log.');

const noCursor = 'must be the next_cursor of the page before';
export const ParkedAsked = z.strictObject({
  projection: ProjectionName.optional(),
  state: z.enum(['parked', 'discarded']).optional(),
  limit: listLimit(100),
  cursor: z
    .string()
    .regex(/^[a-z-]{1,50}\.\d{1,9}\.\d{1,19}$/, { error: noCursor, abort: true })
    .refine((cursor) => isPosition(cursor.split('.')[2] ?? ''), noCursor)
    .optional(),
});

export const ParkedTold = z
  .object({
    parked: z.array(
      z.object({
        projection: z.string(),
        generation: z.int(),
        position,
        stream: z.string(),
        type: z.string(),
        state: z.enum(['parked', 'discarded']),
        error: z.string().describe('Why it cannot be projected, when it was tried last.'),
        attempts: z.int().min(0).describe('How often it was tried; 0 for one that only stands behind another.'),
        behind: z.string().nullable().describe('Position of the parked event of its stream it stands behind.'),
        asked: z.boolean().describe('Whether it was asked for and that is not done yet.'),
        reason: z.string().nullable().describe('Why it was discarded.'),
        parked_at: Instant,
        tried_at: Instant,
        raw: z.string().describe('Data and metadata as JSON, cut where it is very long.'),
      }),
    ),
    next_cursor: z.string().nullable().describe('What to send as `cursor` for the next page; null on the last.'),
  })
  .meta({ id: 'ParkedEvents' });

const which = {
  projection: ProjectionName,
  positions: z.array(positionParameter).min(1).max(500).optional().describe('Those that are meant.'),
  all: z.literal(true).optional().describe('Instead of positions: all that are parked.'),
};
const isOne = ({ positions, all }: { positions?: unknown; all?: unknown }): boolean =>
  (positions === undefined) !== (all === undefined);
const either = { path: ['positions'], message: 'must be given, or all: true' };

export const RetryAsked = z.strictObject(which).refine(isOne, either);
export const DiscardAsked = z
  .strictObject({ ...which, reason: z.string().trim().min(1).max(1_000).describe('Kept with them.') })
  .refine(isOne, either);

export const ParkedDecided = z
  .object({
    projection: z.string(),
    events: z.int().min(0).describe('How many are meant, those that stand behind others too.'),
  })
  .meta({ id: 'ParkedDecided' });
