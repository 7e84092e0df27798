import { withDeadline } from './time.ts';

export interface SamplerOptions {
  readonly maxAgeMs: number;
  /** After this many ms, a caller receives undefined, and the read continues for later callers. */
  readonly timeoutMs?: number;
  /** Returns the time on a monotonic clock, in ms. */
  readonly now?: () => number;
}

/** Caches the value for `maxAgeMs`. Returns undefined, and not an outdated value, if the read fails or takes too long. */
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
