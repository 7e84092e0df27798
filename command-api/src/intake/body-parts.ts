import { toErrorDetails, type ApiErrorDetail, maxErrorDetails, describeZodIssue } from '@popsvc/contracts/errors';
import { type Intake, mostItems } from './intake.ts';
import { invalid } from './invalid.ts';

/** The outer layer of a body: its list, not yet looked into, and the checked fields beside it. */
export interface BodyParts<Beside> {
  readonly items: readonly unknown[];
  readonly beside: Beside;
}

export const bodyParts = <Sent, Beside extends object>(
  body: unknown,
  { list, beside: schema }: Intake<Sent, Beside>,
): BodyParts<Beside> => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const message = `is required: the body must be an object with the list "${list}"`;
    throw invalid([{ path: list, message }]);
  }
  const { [list]: items, ...rest } = body as Record<string, unknown>;
  const read = schema.safeParse(rest, { error: describeZodIssue });
  const trouble = troubleWith(items);
  const details: readonly ApiErrorDetail[] = [
    ...(read.success ? [] : toErrorDetails(read.error.issues)),
    ...(trouble === undefined ? [] : [{ path: list, message: trouble }]),
  ];
  if (!read.success || details.length > 0) throw invalid(details.slice(0, maxErrorDetails));
  return { items: items as readonly unknown[], beside: read.data };
};

const troubleWith = (items: unknown): string | undefined => {
  if (items === undefined) return 'is required';
  if (!Array.isArray(items)) return 'must be a list';
  if (items.length === 0) return 'must hold at least 1 item';
  return items.length > mostItems ? `must hold at most ${mostItems} items` : undefined;
};
