import { z } from 'zod';

/** Wraps a schema in the envelope that `/api/v1` uses for every JSON response with status 200. */
export const withEnvelope = <Data extends z.ZodType>(data: Data) =>
  z.object({ status: z.literal(true), message: z.string(), data });

/** The field with the cursor of the next page, in lists in descending order of the log. */
export const nextBefore = z
  .string()
  .nullable()
  .describe('What to send as `before` for the next page; null on the last.');

/** A network, site, location or device in a response. */
export const Place = z.object({ id: z.int().min(1), name: z.string() }).meta({ id: 'Place' });
