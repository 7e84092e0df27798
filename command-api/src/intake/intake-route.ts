import type { Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { type Intake, mostBytes, mostItems } from './intake.ts';
import { type IntakeParts, takeIn } from './take-in.ts';

const Accepted = z.object({ message: z.string(), acceptedAt: z.iso.datetime(), eventCount: z.int() });

/** The endpoint of one kind of intake. */
export const intakeRoute = <Sent>(intake: Intake<Sent>, parts: IntakeParts): Route => ({
  method: 'post',
  path: intake.path,
  summary: intake.summary,
  access: 'ingest',
  body: 'json',
  maxBytes: mostBytes,
  schemas: {
    query: z.strictObject({ validate_only: z.enum(['true', 'false']).optional() }),
    body: z.strictObject({ [intake.list]: z.array(intake.item).min(1).max(mostItems) }),
    replies: { 202: Accepted, 200: Accepted.omit({ acceptedAt: true }) },
  },
  handle: takeIn(intake, parts),
});
