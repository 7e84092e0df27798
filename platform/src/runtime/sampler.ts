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
  let sample: { readonly value: T; readonly until: number } | undefined;
  let pendingRead: Promise<T | undefined> | undefined;
  const readSample = async () => {
    try {
      const value = await read();
      sample = { value, until: performance.now() + maxAgeMs };
      return value;
    } catch {
      return undefined;
    } finally {
      pendingRead = undefined;
    }
  };
  return () => {
    if (sample && performance.now() < sample.until) return Promise.resolve(sample.value);
    sample = undefined;
    pendingRead ??= readSample();
    return withDeadline(pendingRead, timeoutMs).catch(() => undefined);
  };
};
