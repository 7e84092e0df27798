import { parse, stringify } from 'lossless-json';
import { z } from 'zod';

/** Value of `$tb` (truncate before) that marks a soft-deleted stream: the largest signed 64-bit integer. */
const softDeleteTruncation = 2n ** 63n - 1n;

export interface StreamLimits {
  readonly maxCount: number | undefined;
  readonly maxAgeMs: number | undefined;
  readonly truncateBefore: number;
  readonly softDeleted: boolean;
  /** The complete metadata as JSON; only for a soft-deleted stream, because new events write the metadata again. */
  readonly text?: string;
}

export const noLimits: StreamLimits = {
  maxCount: undefined,
  maxAgeMs: undefined,
  truncateBefore: 0,
  softDeleted: false,
};

export const metastreamLimits: StreamLimits = { ...noLimits, maxCount: 1 };

const integer = z
  .bigint()
  .min(-(2n ** 63n))
  .max(softDeleteTruncation);
/** The range of a .NET TimeSpan, which EventStoreDB stores these fields in. */
const seconds = z.bigint().min(-922_337_203_685n).max(922_337_203_685n);
const roles = z.string().or(z.array(z.string())).optional();

/** As in EventStoreDB (`StreamMetadata.cs`): one field of another type, such as a number with a fraction, invalidates all metadata. */
const Metadata = z.looseObject({
  $maxCount: integer.optional(),
  $maxAge: seconds.optional(),
  $tb: integer.optional(),
  $tmp: z.boolean().optional(),
  $cacheControl: seconds.optional(),
  $acl: z.strictObject({ $r: roles, $w: roles, $d: roles, $mr: roles, $mw: roles }).optional(),
});

/** `JSON.parse` cannot distinguish 3 from 3.0, and would round large integers. */
const parseJson = (text: string): unknown =>
  parse(text, null, {
    parseNumber: (number) => (/^-?\d+$/.test(number) ? BigInt(number) : Number(number)),
    onDuplicateKey: ({ newValue }) => newValue,
  });

const parseMetadata = (text: string): z.output<typeof Metadata> => {
  try {
    return Metadata.safeParse(parseJson(text)).data ?? {};
  } catch {
    return {};
  }
};

const positive = (value: bigint | undefined): number | undefined =>
  value !== undefined && value > 0n ? Number(value) : undefined;

/** Malformed metadata sets no limit. */
export const parseLimits = (data: Buffer): StreamLimits => {
  const text = data.toString('utf8');
  const { $maxCount, $maxAge, $tb } = parseMetadata(text);
  const maxAge = positive($maxAge);
  const softDeleted = $tb === softDeleteTruncation;
  return {
    maxCount: positive($maxCount),
    maxAgeMs: maxAge === undefined ? undefined : maxAge * 1000,
    truncateBefore: positive($tb) ?? 0,
    softDeleted,
    ...(softDeleted ? { text } : {}),
  };
};

export const softDeleteMetadata = Buffer.from(`{"$tb":${softDeleteTruncation}}`);

/** Keeps all keys of the previous metadata `text` except `$tb`. Returns only `$tb` if `text` is malformed. */
export const buildRecreatedMetadata = (text: string | undefined, revision: number): Buffer =>
  Buffer.from(stringify({ ...parseMetadata(text ?? ''), $tb: revision })!);

/** Ignores `$maxAge`. */
export const firstVisibleRevision = (limits: StreamLimits, last: number): number =>
  Math.max(0, limits.truncateBefore, limits.maxCount === undefined ? 0 : last - limits.maxCount + 1);
