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

/** Reads `$metadata`; what is malformed limits nothing. */
export const limitsFrom = (data: Buffer): StreamLimits => {
  const text = data.toString('utf8');
  let keys: unknown;
  try {
    keys = JSON.parse(text);
  } catch {
    return noLimits;
  }
  if (typeof keys !== 'object' || keys === null) return noLimits;
  const { $maxCount, $maxAge, $tb } = keys as Partial<globalThis.Record<string, unknown>>;
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
  const keys = JSON.parse(text ?? '{}') as object;
  return Buffer.from(JSON.stringify({ ...keys, $tb: revision }));
};

/** The first revision that a read of the stream shows, $maxAge aside. */
export const firstVisible = (limits: StreamLimits, last: number): number =>
  Math.max(0, limits.truncateBefore, limits.maxCount === undefined ? 0 : last - limits.maxCount + 1);
