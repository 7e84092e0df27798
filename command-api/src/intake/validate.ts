import { complaintsOf, type Detail, mostDetails, Refusal, wording } from '@popsvc/contracts/errors';
import { instantMs } from '@popsvc/contracts/time';
import { refusePlayedAt } from '@popsvc/domain/plays';
import { fairShare } from './fair-share.ts';
import { type Intake, mostItems } from './intake.ts';

export interface AgeLimits {
  readonly receivedAtMs: number;
  readonly maxAgeDays: number | undefined;
}

/** The items of a request, all good; or the refusal that names every bad one. Nothing is taken from a request with a bad one. */
export const validate = <Sent>(body: unknown, intake: Intake<Sent>, limits: AgeLimits): readonly Sent[] => {
  const items = listOf(body, intake.list);
  const bad: (readonly Detail[])[] = [];
  const good: Sent[] = [];
  for (let index = 0; index < items.length && bad.length < mostDetails; index++) {
    const complaints = checkItem(items[index], `${intake.list}[${index}]`, intake, limits, good);
    if (complaints.length > 0) bad.push(complaints);
  }
  if (bad.length > 0) throw invalid(fairShare(bad));
  return good;
};

export const invalid = (details: readonly Detail[]): Refusal => {
  const [first] = details;
  const message =
    details.length === 1 && first
      ? `${first.path}: ${first.message}`
      : `${details.length} things are not valid; nothing was stored.`;
  return new Refusal('INVALID_EVENT', message, { details });
};

const listOf = (body: unknown, list: string): readonly unknown[] => {
  const refuse = (path: string, message: string) => invalid([{ path, message }]);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw refuse(list, `is required: the body must be an object with the list "${list}"`);
  const unknown = Object.keys(body).filter((key) => key !== list);
  if (unknown.length > 0)
    throw invalid(
      unknown.slice(0, mostDetails).map((key) => ({ path: key.slice(0, 200), message: 'is not a known field' })),
    );
  const items: unknown = (body as Record<string, unknown>)[list];
  if (items === undefined) throw refuse(list, 'is required');
  if (!Array.isArray(items)) throw refuse(list, 'must be a list');
  if (items.length === 0) throw refuse(list, 'must hold at least 1 item');
  if (items.length > mostItems) throw refuse(list, `must hold at most ${mostItems} items`);
  return items;
};

const checkItem = <Sent>(
  item: unknown,
  at: string,
  { item: schema, innerLists, instant }: Intake<Sent>,
  { receivedAtMs, maxAgeDays }: AgeLimits,
  good: Sent[],
): readonly Detail[] => {
  for (const [field, most] of innerLists) {
    const inner: unknown = (item as Record<string, unknown> | null | undefined)?.[field];
    if (Array.isArray(inner) && inner.length > most)
      return [{ path: `${at}.${field}`, message: `must hold at most ${most} items` }];
  }
  const read = schema.safeParse(item);
  // Words are looked for only where something is wrong: asking for them makes every parse dearer.
  if (!read.success) return complaintsOf(schema.safeParse(item, { error: wording }).error!.issues, at);
  const tooOld = refusePlayedAt(instantMs(read.data[instant] as string)!, receivedAtMs, maxAgeDays);
  if (tooOld !== undefined) return [{ path: `${at}.${instant}`, message: tooOld }];
  good.push(read.data);
  return [];
};
