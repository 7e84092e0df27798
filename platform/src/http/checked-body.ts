import { complaintsOf, type Detail, mostDetails, Refusal, wording } from '@popsvc/contracts/errors';
import type { z } from 'zod';

/** A body as its schema has it, or the refusal that names every field that is wrong. */
export const checkedBody = <Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> => {
  const read = schema.safeParse(body, { error: wording });
  if (read.success) return read.data;
  throw invalidRequest(complaintsOf(read.error.issues));
};

export const invalidRequest = (details: readonly Detail[]): Refusal => {
  const [first] = details;
  const message =
    details.length === 1 && first
      ? `${first.path || 'body'}: ${first.message}`
      : `${details.length} fields are not valid.`;
  return new Refusal('INVALID_REQUEST', message, { details: details.slice(0, mostDetails) });
};
