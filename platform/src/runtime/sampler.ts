import { withDeadline } from './time.ts';

export interface SamplerOptions {
  /** How long a value is reused. */
  readonly maxAgeMs: number;
  /** How long a caller waits for a new value. After that the caller gets undefined, and the read continues for later callers. */
  readonly timeoutMs?: number;
}

/**
 * Creates a function that reads a value at most once per `maxAgeMs`, such as a statistic of another server. One read runs at a
 * time. Returns undefined while the value cannot be read, so that no outdated value is returned.
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
