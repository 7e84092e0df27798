/** Value of `$tb` (truncate before) that marks a soft-deleted stream. */
const softDeleteTruncation = 2 ** 63;

/** The limits in a stream's metadata, which hide events from reads of the stream. */
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

const positive = (value: unknown): number | undefined => (typeof value === 'number' && value > 0 ? value : undefined);

interface MetadataKeys {
  readonly $maxCount?: unknown;
  readonly $maxAge?: unknown;
  readonly $tb?: unknown;
}

const parseKeys = (text: string): MetadataKeys => {
  try {
    const keys: unknown = JSON.parse(text);
    return typeof keys === 'object' && keys !== null && !Array.isArray(keys) ? keys : {};
  } catch {
    return {};
  }
};

/** Parses the data of a `$metadata` event. Malformed values set no limit. */
export const parseLimits = (data: Buffer): StreamLimits => {
  const text = data.toString('utf8');
  const keys = parseKeys(text);
  const { $maxCount, $maxAge, $tb } = keys;
  const maxAge = positive($maxAge);
  const truncateBefore = positive($tb) ?? 0;
  const softDeleted = truncateBefore >= softDeleteTruncation;
  return {
    maxCount: positive($maxCount),
    maxAgeMs: maxAge === undefined ? undefined : maxAge * 1000,
    truncateBefore,
    softDeleted,
    ...(softDeleted ? { text } : {}),
  };
};

export const softDeleteMetadata = Buffer.from('{"$tb":9223372036854775807}');

/**
 * Builds the metadata that recreates a soft-deleted stream when new events are appended to it. Keeps the previous keys, but sets `$tb`
 * to the revision of the first new event.
 */
export const buildRecreatedMetadata = (text: string | undefined, revision: number): Buffer => {
  return Buffer.from(JSON.stringify({ ...parseKeys(text ?? ''), $tb: revision }));
};

/** Returns the first revision that a read of the stream may return. Ignores `$maxAge`. */
export const firstVisibleRevision = (limits: StreamLimits, last: number): number =>
  Math.max(0, limits.truncateBefore, limits.maxCount === undefined ? 0 : last - limits.maxCount + 1);
