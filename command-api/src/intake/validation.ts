import {
  type ApiErrorDetail,
  describeZodIssue,
  findUnknownFields,
  maxErrorDetails,
  shortenValue,
  toErrorDetails,
} from '@popsvc/contracts/errors';
import { type IntakeKind, maxEventItems } from '@popsvc/contracts/events';
import { dropNulls } from '@popsvc/contracts/nulls';
import { instantMs } from '@popsvc/contracts/time';
import { checkNotAhead, checkPlayedAt } from '@popsvc/domain/intake';
import type { ApiKeyPrincipal } from '@popsvc/http-kit/auth';
import { findLossyNumbers } from '@popsvc/platform/row-readers';
import { z } from 'zod';
import { invalidEvents } from './errors.ts';

export interface IntakeDefinition<Sent, Extra extends object> {
  readonly kind: IntakeKind;
  readonly path: string;
  readonly summary: string;
  readonly operationId: string;
  /** A body that is valid for the demo network. */
  readonly example: Readonly<Record<string, unknown>>;
  readonly listField: string;
  readonly itemSchema: z.ZodType<Sent>;
  /** Body fields other than the list. The response repeats them. Unknown fields are rejected. */
  readonly extraFields: z.ZodType<Extra> & { readonly shape: object };
  /** Checked before the schema, because each element of a longer list could produce an error. */
  readonly innerListLimits: readonly (readonly [field: string, maxLength: number])[];
  /** The time field that must lie within the age limits. If undefined, items of any age are accepted. */
  readonly instantField?: keyof Sent & string;
  /** Other time fields, which must not be more than 24 h in the future. */
  readonly laterInstantFields?: readonly (keyof Sent & string)[];
  /**
   * What must be stored exactly as sent: the whole item, or these fields. A number that JSON parsing changed is rejected, except rounded
   * fractions.
   */
  readonly storedAsSent?: 'whole' | readonly string[];
  readonly event: { readonly type: string; readonly version: number };
  readonly toItem: (sent: Sent) => object;
  readonly toData: (items: readonly object[], extra: Extra) => object;
  readonly validFields?: z.ZodRawShape;
  /** For `validate_only`: the values of `validFields`, and a sentence for the message, which may be empty. */
  readonly describeValid?: (items: readonly Sent[], extra: Extra, sender: Sender) => Promise<ValidDescription>;
  /** Throws INVALID_EVENT if an id is not registered in the network, and UNAVAILABLE if that cannot be determined. */
  readonly checkIds?: (sent: readonly Sent[], network: number) => Promise<void>;
  readonly warnings?: {
    readonly fields: z.ZodObject;
    /** Returns an empty object if there are no warnings. `isStored` is false with `validate_only`. */
    readonly find: (
      valid: readonly Sent[],
      sender: Pick<ApiKeyPrincipal, 'network' | 'vendor'>,
      isStored: boolean,
    ) => object;
  };
}

/** `receivedAtMs`: ms since 1970. */
export interface Sender {
  readonly network: number;
  readonly vendor: string;
  readonly receivedAtMs: number;
}

export interface ValidDescription {
  readonly fields: object;
  readonly message: string;
}

export const noExtraFields = z.strictObject({});

export const maxItems = maxEventItems;
export const maxBodyBytes = 5 * 1024 * 1024;

interface ParsedBody<Extra> {
  readonly items: readonly unknown[];
  readonly extra: Extra;
}

/** Validates a body except the items of its list. Throws INVALID_EVENT. */
export const parseOuterBody = <Sent, Extra extends object>(
  body: unknown,
  { listField, extraFields }: IntakeDefinition<Sent, Extra>,
): ParsedBody<Extra> => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const message = `is required: the body must be an object with the list "${listField}"`;
    throw invalidEvents([{ path: listField, message }]);
  }
  const sent = body as Readonly<Record<string, unknown>>;
  const items = sent[listField];
  const extraNames = Object.keys(extraFields.shape);
  const extra = Object.fromEntries(
    extraNames.flatMap((name) => (Object.hasOwn(sent, name) ? [[name, sent[name]]] : [])),
  );
  const parsed = extraFields.safeParse(dropNulls(extraFields, extra), { error: describeZodIssue });
  const listProblem = findListProblem(items);
  const details: readonly ApiErrorDetail[] = [
    ...(parsed.success ? [] : toErrorDetails(parsed.error.issues, '', extra)),
    ...findUnknownFields(body, new Set([listField, ...extraNames])),
    ...(listProblem === undefined ? [] : [{ path: listField, message: listProblem }]),
  ];
  if (!parsed.success || details.length > 0) throw invalidEvents(details.slice(0, maxErrorDetails));
  return { items: items as readonly unknown[], extra: parsed.data };
};

const findListProblem = (items: unknown): string | undefined => {
  if (items === undefined) return 'is required';
  if (!Array.isArray(items)) return 'must be a list';
  if (items.length === 0) return 'must hold at least 1 item';
  return items.length > maxItems ? `must hold at most ${maxItems} items` : undefined;
};

export interface AgeLimits {
  readonly receivedAtMs: number;
  readonly maxAgeDays: number | undefined;
}

type ItemRules<Sent> = Pick<
  IntakeDefinition<Sent, object>,
  'listField' | 'itemSchema' | 'innerListLimits' | 'instantField' | 'laterInstantFields'
>;

/** Throws INVALID_EVENT with at most `maxErrorDetails` details. */
export const validateItems = <Sent>(
  items: readonly unknown[],
  rules: ItemRules<Sent>,
  limits: AgeLimits,
): readonly Sent[] => {
  const problems: (readonly ApiErrorDetail[])[] = [];
  const valid: Sent[] = [];
  for (let index = 0; index < items.length && problems.length < maxErrorDetails; index++) {
    const details = validateItem(items[index], `${rules.listField}[${index}]`, rules, limits, valid);
    if (details.length > 0) problems.push(details);
  }
  if (problems.length > 0) throw invalidEvents(limitDetails(problems));
  return valid;
};

const validateItem = <Sent>(
  item: unknown,
  path: string,
  rules: ItemRules<Sent>,
  limits: AgeLimits,
  valid: Sent[],
): readonly ApiErrorDetail[] => {
  const { itemSchema, innerListLimits } = rules;
  dropNulls(itemSchema, item);
  for (const [field, maxLength] of innerListLimits) {
    const inner: unknown = (item as Record<string, unknown> | null | undefined)?.[field];
    if (Array.isArray(inner) && inner.length > maxLength)
      return [{ path: `${path}.${field}`, message: `must hold at most ${maxLength} items` }];
  }
  const parsed = itemSchema.safeParse(item);
  // Parsing with error messages is slow, so only invalid items are parsed with messages, a second time.
  if (!parsed.success)
    return toErrorDetails(itemSchema.safeParse(item, { error: describeZodIssue }).error!.issues, path, item);
  const ageProblem = findAgeProblem(parsed.data, path, rules, limits);
  if (ageProblem) return [ageProblem];
  valid.push(parsed.data);
  return [];
};

const findAgeProblem = <Sent>(
  sent: Sent,
  path: string,
  { instantField, laterInstantFields = [] }: ItemRules<Sent>,
  { receivedAtMs, maxAgeDays }: AgeLimits,
): ApiErrorDetail | undefined => {
  if (instantField === undefined) return undefined;
  const message = checkPlayedAt(instantMs(sent[instantField] as string)!, receivedAtMs, maxAgeDays);
  if (message !== undefined)
    return { path: `${path}.${instantField}`, message, value: shortenValue(sent[instantField]) };
  for (const field of laterInstantFields) {
    const text = sent[field] as string | null | undefined;
    const aheadMessage = typeof text === 'string' ? checkNotAhead(instantMs(text)!, receivedAtMs) : undefined;
    if (aheadMessage !== undefined)
      return { path: `${path}.${field}`, message: aheadMessage, value: shortenValue(text) };
  }
  return undefined;
};

/** Takes one detail of each invalid item first, so that an item with many problems does not hide others. */
const limitDetails = (detailsByItem: readonly (readonly ApiErrorDetail[])[]): readonly ApiErrorDetail[] => {
  const shares = detailsByItem.slice(0, maxErrorDetails).map(() => 1);
  let left = maxErrorDetails - shares.length;
  shares.forEach((_, index) => {
    const more = Math.min(left, detailsByItem[index]!.length - 1);
    shares[index]! += more;
    left -= more;
  });
  return shares.flatMap((share, index) => detailsByItem[index]!.slice(0, share));
};

/** `bytes`: the body before parsing, because only its text shows which numbers JSON parsing changed. Throws INVALID_EVENT. */
export const rejectLossyNumbers = (
  bytes: Buffer,
  items: readonly unknown[],
  { listField, storedAsSent }: { readonly listField: string; readonly storedAsSent: 'whole' | readonly string[] },
): void => {
  const partsOf = (item: unknown): readonly (readonly [path: string, value: unknown])[] =>
    storedAsSent === 'whole'
      ? [['', item]]
      : storedAsSent.map((field) => [`.${field}`, (item as Readonly<Record<string, unknown>> | null)?.[field]]);
  if (!items.some((item) => partsOf(item).some(([, value]) => mayHoldLossyNumber(value)))) return;
  const lossyNumbers = findLossyNumbers(bytes);
  const details: ApiErrorDetail[] = [];
  for (let index = 0; index < items.length && details.length < maxErrorDetails; index++)
    for (const [subPath, value] of partsOf(items[index])) {
      const path = findLossyPath(value, lossyNumbers, `${listField}[${index}]${subPath}`);
      if (path === undefined) continue;
      details.push({ path: path.slice(0, 200), message: 'is a number of too many digits to be kept; send it as text' });
      break;
    }
  if (details.length > 0) throw invalidEvents(details);
};

/** Rounded fractions do not count, because every JSON parser rounds them. */
const mayHoldLossyNumber = (value: unknown): boolean => {
  if (typeof value === 'number')
    return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
  return typeof value === 'object' && value !== null && Object.values(value).some(mayHoldLossyNumber);
};

const findLossyPath = (value: unknown, lossyNumbers: ReadonlySet<number>, path: string): string | undefined => {
  if (typeof value === 'number') return lossyNumbers.has(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [key, inner] of Object.entries(value)) {
    const found = findLossyPath(inner, lossyNumbers, isList ? `${path}[${key}]` : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
};
