import { z } from 'zod';

/** What every POST under `/popsvc/v1` may be asked with. */
export const repeatable = {
  query: z.strictObject({
    validate_only: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true`: only say whether the request would be accepted, with 200; nothing is stored.'),
  }),
  headers: z.object({
    'Idempotency-Key': z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe(
        'Makes the request safe to repeat for 24 h: the same key and body again store nothing and get the same answer; the same key ' +
          'with another body is refused with 409.',
      ),
  }),
  responseHeaders: ['Idempotency-Replayed'],
} as const;

/** The answer to a request that only asks. */
export const Valid = z.object({ message: z.string() }).meta({ id: 'Valid' });
