import { z } from 'zod';

/** The envelope of every JSON response of `/api/v1` with status 200 (service.md 2.1). */
export const withEnvelope = <Data extends z.ZodType>(data: Data) =>
  z.object({ status: z.literal(true), message: z.string(), data });

/** A network, site, location or device in a response. */
export const Place = z.object({ id: z.int().min(1), name: z.string() }).meta({ id: 'Place' });

/** Limits of report requests, for validation, documentation and responses. */
export const reportLimits = {
  /** Rows of a page, and of a limited download. */
  limit: { least: 1, most: 5_000, standard: 1_000 },
  /** Longest window in days. */
  longestDays: 31,
} as const;
