import { withDeadline } from './deadline.ts';

export interface SamplerOptions {
  /** How long a sample is good. */
  readonly maxAgeMs: number;
  /** How long who asks waits for a new one; then there is none, and the reading goes on for the next who asks. */
  readonly timeoutMs?: number;
}

/**
 * Something that is read now and then rather than each time it is asked for: figures that another server must be asked for. One
 * reading at a time; undefined while it cannot be read, so that what is told is never old.
 */
export const createSampler = <T>(
  read: () => Promise<T>,
  { maxAgeMs, timeoutMs = 1_000 }: SamplerOptions,
): (() => Promise<T | undefined>) => {
  let known: { readonly value: T; readonly until: number } | undefined;
  let reading: Promise<T | undefined> | undefined;
  const renewed = async () => {
    try {
      const value = await read();
      known = { value, until: performance.now() + maxAgeMs };
      return value;
    } catch {
      return undefined;
    } finally {
      reading = undefined;
    }
  };
  return () => {
    if (known && performance.now() < known.until) return Promise.resolve(known.value);
    known = undefined;
    reading ??= renewed();
    return withDeadline(reading, timeoutMs).catch(() => undefined);
  };
};
