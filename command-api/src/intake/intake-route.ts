import type { Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { type Intake, mostBytes, mostItems } from './intake.ts';
import { type IntakeParts, takeIn } from './take-in.ts';

/** The endpoint of one kind of intake. */
export const intakeRoute = <Sent, Beside extends object>(intake: Intake<Sent, Beside>, parts: IntakeParts): Route => {
  const { path, summary, list, item } = intake;
  const beside = intake.beside.shape as z.ZodRawShape;
  const Accepted = z.object({ message: z.string(), acceptedAt: z.iso.datetime(), eventCount: z.int(), ...beside });
  return {
    method: 'post',
    path,
    summary,
    access: 'ingest',
    body: 'json',
    maxBytes: mostBytes,
    schemas: {
      query: z.strictObject({ validate_only: z.enum(['true', 'false']).optional() }),
      body: z.strictObject({ ...beside, [list]: z.array(item).min(1).max(mostItems) }),
      replies: { 202: Accepted, 200: Accepted.omit({ acceptedAt: true }) },
    },
    handle: takeIn(intake, parts),
  };
};
