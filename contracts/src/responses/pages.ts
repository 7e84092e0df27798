import { z } from 'zod';

/** The field with the cursor of the next page, in lists in descending order of the log. */
export const nextBefore = z
  .string()
  .nullable()
  .describe('What to send as `before` for the next page; null on the last.');

/** Number of rows in a page of a vendor's jobs or quarantined events. */
export const vendorPageRows = { max: 200, default: 100 } as const;
