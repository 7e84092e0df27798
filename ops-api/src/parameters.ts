import { instantMs } from '@popsvc/contracts/time';
import { z } from 'zod';

/** Query parameters that several lists take. */
export const wholeParameter = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .pipe(z.int().min(least).max(most));

export const networkParameter = wholeParameter(1, Number.MAX_SAFE_INTEGER);
export const vendorParameter = z.string().regex(/^[a-z][a-z0-9]{1,31}$/, 'must be a vendor code');

/** Ids of which any may fit: the parameter may be repeated. */
export const idsParameter = z.preprocess(
  (given) => (given === undefined ? undefined : [given].flat()),
  z.array(wholeParameter(1, Number.MAX_SAFE_INTEGER)).max(1_000).optional(),
);

/** How many at most; the caller goes on from the last one. */
export const listLimit = (standard: number) => wholeParameter(1, 1_000).default(standard);

const lastPosition = 2n ** 63n - 1n;
/** Whether stores can hold a whole number as a position. */
export const isPosition = (digits: string): boolean => BigInt(digits) <= lastPosition;

const noPosition = 'must be a position of the log';
/** A position in the log, as lists tell it. */
export const positionParameter = z
  .string()
  .regex(/^\d{1,19}$/, { error: noPosition, abort: true })
  .refine(isPosition, noPosition);

/** Milliseconds since 1970. */
export const instantParameter = z
  .string()
  .meta({ format: 'date-time' })
  .transform((text, context) => {
    const ms = instantMs(text);
    if (ms !== undefined) return ms;
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 timestamp with Z or an offset' });
    return z.NEVER;
  });

/** On or off; without it, off. */
export const switchParameter = z.enum(['true', 'false']);

/** A route that takes no parameters refuses any. */
export const noParameters = z.strictObject({});
