/** Bounds of what one writer may ask. */
export interface WriteLimits {
  /** Bytes of one append: data, metadata and twice the length of the type, summed over its events. */
  readonly appendBytes: number;
  /** Every write is answered after this time, with a timeout if it is not durable by then. */
  readonly timeoutMs: number;
  /** Bytes on their way to the disk, above which writers are no longer read from. */
  readonly pendingBytes: number;
}

export const defaultWriteLimits: WriteLimits = {
  appendBytes: 1024 * 1024,
  timeoutMs: 2000,
  pendingBytes: 64 * 1024 * 1024,
};
