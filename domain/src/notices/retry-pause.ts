const [firstPauseMs, longestPauseMs, factor] = [10_000, 12 * 3_600_000, 4];

/**
 * Returns the pause in ms after a failed attempt: 10 s after the first, four times as long after each further one, up to 12 hours. Jitter
 * of up to half of the pause spreads the attempts that failed together. `random`: a number from 0 to 1.
 */
export const retryPauseMs = (attempt: number, random: number): number =>
  Math.min(longestPauseMs, firstPauseMs * factor ** (attempt - 1)) * (1 - random / 2);
