import { idParameter, integerParameter } from '@popsvc/platform/http';
import { z } from 'zod';

export const networkParameter = idParameter;
export const vendorParameter = z.string().regex(/^[a-z][a-z0-9]{1,31}$/, 'must be a vendor code');

/** Parameters that restrict a list to a network, a vendor or both. */
export const vendorFilterParameters = { network: networkParameter.optional(), vendor: vendorParameter.optional() };

/** Creates the parameter for the page size of a list. `standard` is the default. */
export const listLimit = (standard: number) => integerParameter(1, 1_000).default(standard);

const lastPosition = 2n ** 63n - 1n;
/** Returns whether the number fits into a log position, which is a signed 64-bit integer. */
export const isPosition = (digits: string): boolean => BigInt(digits) <= lastPosition;

const invalidPosition = 'must be a position of the log';
/** A log position in decimal digits, as returned by the list endpoints. */
export const positionParameter = z
  .string()
  .regex(/^\d{1,19}$/, { error: invalidPosition, abort: true })
  .refine(isPosition, invalidPosition);

/** The response field that contains the cursor of the next page, for lists in descending order of log position. */
export const nextBefore = z
  .string()
  .nullable()
  .describe('What to send as `before` for the next page; null on the last.');

/** Returns `nextBefore` for a page of at most `limit` rows; null when the page is not full. */
export const nextBeforeOf = (rows: readonly { readonly position: string }[], limit: number): string | null =>
  rows.length < limit ? null : (rows.at(-1)?.position ?? null);
