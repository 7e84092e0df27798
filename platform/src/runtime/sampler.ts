import { withDeadline } from './time.ts';

export interface SamplerOptions {
  readonly maxAgeMs: number;
  /**
   * How long a caller waits for a new value, in ms. After that, the caller receives undefined, and the read continues for later
   * callers.
   */
  readonly timeoutMs?: number;
  /** Returns the time on a monotonic clock, in ms. */
  readonly now?: () => number;
}

/**
 * Creates a function that reads a value, such as a statistic of another server, and caches it for `maxAgeMs`. Only one read runs at
 * a time. If the read fails or takes too long, the function returns undefined, and not an outdated value.
 */
export const createSampler = <T>(
  read: () => Promise<T>,
  { maxAgeMs, timeoutMs = 1_000, now = () => performance.now() }: SamplerOptions,
): (() => Promise<T | undefined>) => {
  let sample: { readonly value: T; readonly until: number } | undefined;
  let pendingRead: Promise<T | undefined> | undefined;
  const readSample = async () => {
    try {
      const value = await read();
      sample = { value, until: now() + maxAgeMs };
      return value;
    } catch {
      return undefined;
    } finally {
      pendingRead = undefined;
    }
  };
  return () => {
    if (sample && now() < sample.until) return Promise.resolve(sample.value);
    sample = undefined;
    pendingRead ??= readSample();
    return withDeadline(pendingRead, timeoutMs).catch(() => undefined);
  };
};
