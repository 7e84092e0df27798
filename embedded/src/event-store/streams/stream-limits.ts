import { parse, stringify } from 'lossless-json';
import { z } from 'zod';

/** Value of `$tb` (truncate before) that marks a soft-deleted stream: the largest signed 64-bit integer. */
const softDeleteTruncation = 2n ** 63n - 1n;

/** The limits in a stream's metadata, which hide events from reads of the stream. All numbers are integers. */
export interface StreamLimits {
  readonly maxCount: number | undefined;
  readonly maxAgeMs: number | undefined;
  readonly truncateBefore: number;
  readonly softDeleted: boolean;
  /**
   * The complete metadata as JSON; only for a soft-deleted stream. When new events recreate such a stream, the store writes this
   * metadata again and changes only `$tb`.
   */
  readonly text?: string;
}

export const noLimits: StreamLimits = {
  maxCount: undefined,
  maxAgeMs: undefined,
  truncateBefore: 0,
  softDeleted: false,
};

/** Limits of a metastream (`$$…`). Reads return only its last event. */
export const metastreamLimits: StreamLimits = { ...noLimits, maxCount: 1 };

const integer = z
  .bigint()
  .min(-(2n ** 63n))
  .max(softDeleteTruncation);
/** The range of a .NET TimeSpan, which EventStoreDB stores these fields in. */
const seconds = z.bigint().min(-922_337_203_685n).max(922_337_203_685n);
const roles = z.string().or(z.array(z.string())).optional();

/**
 * The metadata that EventStoreDB (`StreamMetadata.cs`) accepts. Metadata with any field of another type, for example a number with a
 * fraction or an exponent, is ignored as a whole. The types of unknown fields do not matter.
 */
const Metadata = z.looseObject({
  $maxCount: integer.optional(),
  $maxAge: seconds.optional(),
  $tb: integer.optional(),
  $tmp: z.boolean().optional(),
  $cacheControl: seconds.optional(),
  $acl: z.strictObject({ $r: roles, $w: roles, $d: roles, $mr: roles, $mw: roles }).optional(),
});

/** Parses JSON with integers as `bigint` and all other numbers as `number`. `JSON.parse` cannot distinguish 3 from 3.0. */
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

/** Parses the data of a `$metadata` event. Malformed metadata sets no limit. */
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

/**
 * Builds the metadata that recreates a soft-deleted stream when new events are appended to it. Keeps the previous keys, but sets `$tb`
 * to the revision of the first new event.
 */
export const buildRecreatedMetadata = (text: string | undefined, revision: number): Buffer =>
  Buffer.from(stringify({ ...parseMetadata(text ?? ''), $tb: revision })!);

/** Returns the first revision that a read of the stream may return. Ignores `$maxAge`. */
export const firstVisibleRevision = (limits: StreamLimits, last: number): number =>
  Math.max(0, limits.truncateBefore, limits.maxCount === undefined ? 0 : last - limits.maxCount + 1);
