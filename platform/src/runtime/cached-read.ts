/** Shares the result of a read between callers, as long as it is recent enough for each of them. */
export interface CachedRead<T> {
  /** Resolves with the result of a read that began at or after `notBeforeMs`, on the clock of `performance.now`. */
  get(notBeforeMs: number): Promise<T>;
}

const refreshesAfterGetMs = 10_000;

interface Attempt<T> {
  readonly beganMs: number;
  readonly result: Promise<T>;
}

/**
 * Caches the result of `read`, but not a failure. With `refreshMs`, reads again that many ms after a successful read began, or at
 * once if the read took longer, so that callers seldom wait. Refreshing ends ten seconds after the last `get`.
 */
export const cacheRead = <T>(
  read: () => Promise<T>,
  { refreshMs }: { readonly refreshMs?: number } = {},
): CachedRead<T> => {
  let last: Attempt<T> | undefined;
  let done: Attempt<T> | undefined;
  let usedMs = -Infinity;

  const begin = (): Attempt<T> => {
    const attempt = { beganMs: performance.now(), result: read() };
    last = attempt;
    attempt.result.then(
      () => {
        if (attempt.beganMs >= (done?.beganMs ?? -Infinity)) done = attempt;
        if (refreshMs !== undefined && last === attempt) refreshAfter(attempt, refreshMs);
      },
      () => {
        if (last === attempt) last = undefined;
      },
    );
    return attempt;
  };
  const refreshAfter = (attempt: Attempt<T>, ms: number): void => {
    const refresh = () => {
      if (last === attempt && performance.now() - usedMs < refreshesAfterGetMs) begin();
    };
    setTimeout(refresh, Math.max(0, attempt.beganMs + ms - performance.now())).unref();
  };

  return {
    get(notBeforeMs) {
      usedMs = performance.now();
      const recent = [done, last].find((attempt) => attempt && attempt.beganMs >= notBeforeMs);
      return (recent ?? begin()).result;
    },
  };
};
