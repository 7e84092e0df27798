/** Thrown if compressed data is truncated or damaged, or needs more memory than allowed. The message is for the sender. */
export class DamagedContent extends Error {
  override readonly name = 'DamagedContent';
}

/** Thrown if decompressed data is larger than `maxExpansion` times the compressed data. */
export class ExpandsTooMuch extends Error {
  override readonly name = 'ExpandsTooMuch';
}

export const endsEarly = (options?: ErrorOptions): DamagedContent =>
  new DamagedContent('it ends before the compressed data is complete', options);
