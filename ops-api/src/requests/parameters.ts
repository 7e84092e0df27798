import { parseItemId } from '@popsvc/contracts/events';
import { idParameter, integerParameter } from '@popsvc/platform/http';
import { z } from 'zod';

export const networkParameter = idParameter;
export const vendorParameter = z.string().regex(/^[a-z][a-z0-9]{1,31}$/, 'must be a vendor code');

/** Parameters that restrict a list to a network, a vendor or both. */
export const vendorFilterParameters = { network: networkParameter.optional(), vendor: vendorParameter.optional() };

/** Creates the parameter for the page size of a list. `standard` is the default. */
export const listLimit = (standard: number) => integerParameter(1, 1_000).default(standard);

const lastSequence = 2n ** 63n - 1n;
/** Returns whether the number fits into a sequence, which PostgreSQL stores as a signed 64-bit integer. */
export const isSequence = (digits: string): boolean => BigInt(digits) <= lastSequence;

const invalidCursor = 'must be the next_before of the page before';
/** The cursor of a list in descending order: a sequence in decimal digits. */
export const beforeParameter = z
  .string()
  .regex(/^\d{1,19}$/, { error: invalidCursor, abort: true })
  .refine(isSequence, invalidCursor);

/** Names an item of the log, as returned by the list endpoints: `position:index`, or `position` for index 0. Parsed to its sequence. */
export const itemIdParameter = z
  .string()
  .refine((text) => parseItemId(text) !== undefined, 'must be a position of the log, as listed: position:index')
  .transform((text) => parseItemId(text)!);

/** The response field that contains the cursor of the next page, for lists in descending order of the log. */
export const nextBefore = z
  .string()
  .nullable()
  .describe('What to send as `before` for the next page; null on the last.');

/** Returns `nextBefore` for a page of at most `limit` rows; null when the page is not full. */
export const nextBeforeOf = (rows: readonly { readonly sequence: string }[], limit: number): string | null =>
  rows.length < limit ? null : (rows.at(-1)?.sequence ?? null);
