import { toErrorDetails, type ApiErrorDetail, maxErrorDetails, describeZodIssue } from '@popsvc/contracts/errors';
import { instantMs } from '@popsvc/contracts/time';
import { checkNotAhead, checkPlayedAt } from '@popsvc/domain/intake';
import { fairShare } from './fair-share.ts';
import type { Intake } from './intake.ts';
import { invalid } from './invalid.ts';

export interface AgeLimits {
  readonly receivedAtMs: number;
  readonly maxAgeDays: number | undefined;
}

type Checked<Sent> = Pick<Intake<Sent, object>, 'list' | 'item' | 'innerLists' | 'instant' | 'laterInstants'>;

/** The items of a request, all good; or the refusal that names every bad one. Nothing is taken from a request with a bad one. */
export const validate = <Sent>(
  items: readonly unknown[],
  intake: Checked<Sent>,
  limits: AgeLimits,
): readonly Sent[] => {
  const bad: (readonly ApiErrorDetail[])[] = [];
  const good: Sent[] = [];
  for (let index = 0; index < items.length && bad.length < maxErrorDetails; index++) {
    const complaints = checkItem(items[index], `${intake.list}[${index}]`, intake, limits, good);
    if (complaints.length > 0) bad.push(complaints);
  }
  if (bad.length > 0) throw invalid(fairShare(bad));
  return good;
};

const checkItem = <Sent>(
  item: unknown,
  at: string,
  intake: Checked<Sent>,
  limits: AgeLimits,
  good: Sent[],
): readonly ApiErrorDetail[] => {
  const { item: schema, innerLists } = intake;
  for (const [field, most] of innerLists) {
    const inner: unknown = (item as Record<string, unknown> | null | undefined)?.[field];
    if (Array.isArray(inner) && inner.length > most)
      return [{ path: `${at}.${field}`, message: `must hold at most ${most} items` }];
  }
  const read = schema.safeParse(item);
  // Words are looked for only where something is wrong: asking for them makes every parse dearer.
  if (!read.success) return toErrorDetails(schema.safeParse(item, { error: describeZodIssue }).error!.issues, at);
  const wrong = wrongAge(read.data, at, intake, limits);
  if (wrong) return [wrong];
  good.push(read.data);
  return [];
};

/** The first instant that is out of the limits; the schema has seen to it that they are instants, where they stand. */
const wrongAge = <Sent>(
  sent: Sent,
  at: string,
  { instant, laterInstants = [] }: Checked<Sent>,
  { receivedAtMs, maxAgeDays }: AgeLimits,
): ApiErrorDetail | undefined => {
  if (instant === undefined) return undefined;
  const message = checkPlayedAt(instantMs(sent[instant] as string)!, receivedAtMs, maxAgeDays);
  if (message !== undefined) return { path: `${at}.${instant}`, message };
  for (const field of laterInstants) {
    const text = sent[field] as string | null | undefined;
    const ahead = typeof text === 'string' ? checkNotAhead(instantMs(text)!, receivedAtMs) : undefined;
    if (ahead !== undefined) return { path: `${at}.${field}`, message: ahead };
  }
  return undefined;
};
