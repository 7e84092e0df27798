export interface CachedRead<T> {
  /** Resolves with the result of a read that began at or after `notBeforeMs`, on the clock of `performance.now`. */
  get(notBeforeMs: number): Promise<T>;
}

const refreshesAfterGetMs = 10_000;

interface Attempt<T> {
  readonly beganMs: number;
  readonly result: Promise<T>;
}

/** Does not cache a failure. With `refreshMs`, reads again after that many ms, until ten seconds after the last `get`. */
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
