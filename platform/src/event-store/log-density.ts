/** Where a batch lies in the log, and how many events of it were for the projection. */
export interface ObservedSpan {
  readonly after: bigint;
  readonly upTo: bigint;
  readonly events: number;
}

/** What was longer ago counts half after so many batches. */
const halfAfter = 16;
const kept = 0.5 ** (1 / halfAfter);

/**
 * How densely the events of a projection stand in the log, learnt from its batches. So how many are left can be told from two
 * positions, without reading what lies between them.
 */
export class LogDensity {
  #events = 0;
  #positions = 0;

  observe({ after, upTo, events }: ObservedSpan): void {
    this.#events = this.#events * kept + events;
    this.#positions = this.#positions * kept + Number(upTo - after);
  }

  /** About how many events lie between. */
  estimateBetween(after: bigint, upTo: bigint): number {
    if (upTo <= after || this.#positions === 0) return 0;
    return Math.round((Number(upTo - after) * this.#events) / this.#positions);
  }
}
