/** How long to wait before a dead part is started again, and when to stop trying. */
export interface RestartPolicy {
  /** Wait before the first new start, in milliseconds; each further one doubles it. */
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  /** A part that was ready for this long is healthy again: its next death counts as the first. */
  readonly healthyAfterMs: number;
  /** So many deaths in a row, none of them after a healthy while, and the part is given up. */
  readonly maxConsecutiveExits: number;
}

export const defaultRestartPolicy: RestartPolicy = {
  initialDelayMs: 250,
  maxDelayMs: 10_000,
  healthyAfterMs: 30_000,
  maxConsecutiveExits: 8,
};

/** The wait after the n-th death in a row (n from 1), or undefined when that was one too many. */
export const restartDelayMs = (backOff: RestartPolicy, deaths: number): number | undefined =>
  deaths >= backOff.maxConsecutiveExits
    ? undefined
    : Math.min(backOff.maxDelayMs, backOff.initialDelayMs * 2 ** (deaths - 1));
