import { z } from 'zod';

export const responseMessage = z.string().describe('For people; the text may change.');

/** Wraps a schema in the envelope of successful JSON responses. */
export const withEnvelope = <Data extends z.ZodType>(data: Data) =>
  z.object({
    status: z.literal(true).describe('True in a successful response, false in an error.'),
    message: responseMessage,
    data: data.description === undefined ? data.describe('The result of the request.') : data,
  });

/** For lists with the newest item first. */
export const nextBefore = z
  .string()
  .nullable()
  .describe('What to send as `before` for the next page; null on the last.');

export const Place = z
  .object({
    id: z.int().min(1).describe('Id in the registry.'),
    name: z.string().describe('Current name in the registry.'),
  })
  .meta({ id: 'Place', description: 'A network, site, location or device, as the registry has it now.' });

/** The package `client` has copies of the two maxima, because it imports no other package. */
export const reportLimits = {
  limit: { min: 1, max: 5_000, default: 1_000 },
  maxWindowDays: 31,
} as const;
