/** How long to wait before a dead part is started again, and when to stop trying. */
export interface BackOff {
  /** Wait before the first new start, in milliseconds; each further one doubles it. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** A part that was ready for this long is healthy again: its next death counts as the first. */
  readonly healthyAfterMs: number;
  /** So many deaths in a row, none of them after a healthy while, and the part is given up. */
  readonly giveUpAfter: number;
}

export const defaultBackOff: BackOff = { firstMs: 250, longestMs: 10_000, healthyAfterMs: 30_000, giveUpAfter: 8 };

/** The wait after the n-th death in a row (n from 1), or undefined when that was one too many. */
export const waitAfterDeath = (backOff: BackOff, deaths: number): number | undefined =>
  deaths >= backOff.giveUpAfter ? undefined : Math.min(backOff.longestMs, backOff.firstMs * 2 ** (deaths - 1));
