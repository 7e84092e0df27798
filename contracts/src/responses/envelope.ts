import { z } from 'zod';

export const responseMessage = z.string().describe('For people; the text may change.');

/**
 * Wraps a schema in the envelope of successful JSON responses: those of `/api/v1`, and those of the reading endpoints and webhooks
 * under `/popsvc/v1`.
 */
export const withEnvelope = <Data extends z.ZodType>(data: Data) =>
  z.object({
    status: z.literal(true).describe('True in a successful response, false in an error.'),
    message: responseMessage,
    data: data.description === undefined ? data.describe('The result of the request.') : data,
  });

/** The cursor of the next page, in lists with the newest item first. */
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

/**
 * Limits of report requests, for request validation and the OpenAPI documents. The package `client` has its own copy, because it
 * imports no other package; a test compares both.
 */
export const reportLimits = {
  /** Limits of the parameter `limit`: the number of rows in a page or download. */
  limit: { min: 1, max: 5_000, default: 1_000 },
  /** Maximum length of a report's time range, in days. */
  maxWindowDays: 31,
} as const;
