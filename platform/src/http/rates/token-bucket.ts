/** How fast a bucket fills, and what it holds when full. */
export interface RefillRate {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * A bucket of tokens that fills by the clock. What costs more than it ever holds passes when it is full and leaves it in debt.
 * Our own, because npm's `limiter` refuses such a cost for good, and `rate-limiter-flexible` counts in fixed windows, at whose
 * borders twice as much passes.
 */
export class TokenBucket {
  /** Undefined until it is first used: full. */
  #tokens: number | undefined;
  #atMs = 0;

  /** Takes tokens; 0, or the seconds after which there will be enough, and then nothing is taken. `nowMs` never goes back. */
  take(cost: number, filling: RefillRate, nowMs: number): number {
    const tokens = this.#at(filling, nowMs);
    const due = Math.min(cost, filling.burst);
    if (tokens < due) return (due - tokens) / filling.perSecond;
    this.#tokens = tokens - cost;
    return 0;
  }

  /** Whole tokens there are now. */
  left(filling: RefillRate, nowMs: number): number {
    return Math.max(0, Math.floor(this.#at(filling, nowMs)));
  }

  /** Seconds until it is full. */
  fullIn(filling: RefillRate, nowMs: number): number {
    return (filling.burst - this.#at(filling, nowMs)) / filling.perSecond;
  }

  #at({ perSecond, burst }: RefillRate, nowMs: number): number {
    const before = this.#tokens ?? burst;
    this.#tokens = Math.min(burst, before + ((nowMs - this.#atMs) / 1_000) * perSecond);
    this.#atMs = nowMs;
    return this.#tokens;
  }
}
