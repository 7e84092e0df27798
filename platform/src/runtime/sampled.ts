import { deadline } from './deadline.ts';

export interface SampleOptions {
  /** How long a sample is good. */
  readonly freshMs: number;
  /** How long who asks waits for a new one; then there is none, and the reading goes on for the next who asks. */
  readonly patienceMs?: number;
}

/**
 * Something that is read now and then rather than each time it is asked for: figures that another server must be asked for. One
 * reading at a time; undefined while it cannot be read, so that what is told is never old.
 */
export const sampled = <T>(
  read: () => Promise<T>,
  { freshMs, patienceMs = 1_000 }: SampleOptions,
): (() => Promise<T | undefined>) => {
  let known: { readonly value: T; readonly until: number } | undefined;
  let reading: Promise<T | undefined> | undefined;
  const renewed = async () => {
    try {
      const value = await read();
      known = { value, until: performance.now() + freshMs };
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
    return deadline(reading, patienceMs).catch(() => undefined);
  };
};
