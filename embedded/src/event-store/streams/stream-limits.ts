/** `$tb` of a deleted stream that may still be written again. */
const deletedBefore = 2 ** 63;

/** What a stream's metadata hides from reads of the stream. */
export interface StreamLimits {
  readonly maxCount: number | undefined;
  readonly maxAgeMs: number | undefined;
  readonly truncateBefore: number;
  readonly softDeleted: boolean;
  /** The metadata as written; kept only for a deleted stream, whose other keys outlive its return. */
  readonly text?: string;
}

export const noLimits: StreamLimits = {
  maxCount: undefined,
  maxAgeMs: undefined,
  truncateBefore: 0,
  softDeleted: false,
};

/** A metastream shows its last event only. */
export const metastreamLimits: StreamLimits = { ...noLimits, maxCount: 1 };

const positive = (value: unknown): number | undefined => (typeof value === 'number' && value > 0 ? value : undefined);

interface MetadataKeys {
  readonly $maxCount?: unknown;
  readonly $maxAge?: unknown;
  readonly $tb?: unknown;
}

const keysIn = (text: string): MetadataKeys => {
  try {
    const keys: unknown = JSON.parse(text);
    return typeof keys === 'object' && keys !== null && !Array.isArray(keys) ? keys : {};
  } catch {
    return {};
  }
};

/** Reads `$metadata`; what is malformed limits nothing. */
export const limitsFrom = (data: Buffer): StreamLimits => {
  const text = data.toString('utf8');
  const keys = keysIn(text);
  const { $maxCount, $maxAge, $tb } = keys;
  const maxAge = positive($maxAge);
  const truncateBefore = positive($tb) ?? 0;
  const softDeleted = truncateBefore >= deletedBefore;
  return {
    maxCount: positive($maxCount),
    maxAgeMs: maxAge === undefined ? undefined : maxAge * 1000,
    truncateBefore,
    softDeleted,
    ...(softDeleted ? { text } : {}),
  };
};

export const softDeletion = Buffer.from('{"$tb":9223372036854775807}');

/** Metadata of a deleted stream that lives again: its keys, with everything up to `revision` hidden. */
export const revivedMetadata = (text: string | undefined, revision: number): Buffer => {
  return Buffer.from(JSON.stringify({ ...keysIn(text ?? ''), $tb: revision }));
};

/** The first revision that a read of the stream shows, $maxAge aside. */
export const firstVisible = (limits: StreamLimits, last: number): number =>
  Math.max(0, limits.truncateBefore, limits.maxCount === undefined ? 0 : last - limits.maxCount + 1);
