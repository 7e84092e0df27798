import { z } from 'zod';
import { instantMs } from './instant-ms.ts';

/** The one form in which the house writes an instant: UTC with milliseconds and Z. */
export const instantOf = (ms: number): string => new Date(ms).toISOString();

/** An ISO 8601 instant with `Z` or an offset, kept as sent. */
export const InstantText = z
  .string()
  .max(40)
  .refine((text) => instantMs(text) !== undefined, 'must be an ISO 8601 timestamp with Z or an offset')
  .meta({ format: 'date-time', example: '2026-08-20T14:03:07.250Z' });

/** An instant in the house's own form, as events store it. */
export const Instant = z.iso.datetime({ precision: 3 }).meta({ example: '2026-08-20T14:03:07.250Z' });
