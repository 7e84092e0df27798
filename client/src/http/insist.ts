import type { Clock } from './clock.ts';
import { ConnectionError } from './connection-error.ts';
import { ServiceError } from './service-error.ts';

export interface Patience {
  readonly clock: Clock;
  /** How long after the first try another one may begin. */
  readonly patienceMs: number;
}

const passing: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const firstPauseMs = 250;
const longestPauseMs = 15_000;

/** Whether the same request may be answered otherwise later. 409 with `Retry-After`: the same request is still at work there. */
const mayPass = (error: unknown): boolean => {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ServiceError)) return false;
  return passing.has(error.status) || (error.status === 409 && error.retryAfterMs !== undefined);
};

/** Doubles with every try. What the service asks for is the least. Chance is added, so that many do not come back together. */
const pauseMs = (error: unknown, tries: number, { random }: Clock): number => {
  const own = Math.min(longestPauseMs, firstPauseMs * 2 ** tries);
  const asked = error instanceof ServiceError ? error.retryAfterMs : undefined;
  return asked === undefined ? own * (0.5 + random() / 2) : asked + firstPauseMs * random();
};

/** Tries again for as long as patience lasts; then throws what the last try threw. Only for what may be told twice. */
export const insist = async <T>(
  attempt: () => Promise<T>,
  { clock, patienceMs }: Patience,
  signal: AbortSignal,
): Promise<T> => {
  const until = clock.now() + patienceMs;
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayPass(error)) throw error;
      const pause = pauseMs(error, tries, clock);
      if (clock.now() + pause > until) throw error;
      await clock.sleep(pause, signal);
    }
  }
};
