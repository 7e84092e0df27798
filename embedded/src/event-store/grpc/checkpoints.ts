/** A page ends when it contains this many matching events, or `window` events in total. */
const pageMatches = 32;

/**
 * Decides when a filtered subscription sends a checkpoint, a position from which the client can resume. Each method returns that
 * position if a checkpoint is due.
 */
export class CheckpointSchedule {
  readonly #window: number;
  readonly #every: number;
  #counted = 0;
  #considered = 0;
  #matches = 0;
  #pageStart = 0;
  #lastMatch = 0;
  #lastPosition = 0;
  #lastCheckpoint = 0;

  /** `window`: maximum number of events in a page; `every`: number of events between two checkpoints, 0 for no checkpoints. */
  constructor(window: number, every: number) {
    this.#window = window;
    this.#every = every;
  }

  /** Must be called for each historical event, whether it matches or not. */
  afterHistoricalEvent(position: number, matched: boolean): number | undefined {
    if (this.#every === 0) return undefined;
    if (this.#considered === 0) this.#pageStart = position;
    this.#considered += 1;
    this.#lastPosition = position;
    if (matched) {
      this.#matches += 1;
      this.#lastMatch = position;
    }
    if (this.#considered < this.#window && this.#matches < pageMatches) return undefined;
    this.#counted += this.#considered;
    this.#considered = 0;
    this.#matches = 0;
    if (this.#counted < this.#every) return undefined;
    this.#counted %= this.#every;
    return this.#checkpointAt(Math.max(this.#lastMatch, this.#pageStart));
  }

  /** Must be called when all historical events have been read. */
  afterCatchUp(): number | undefined {
    this.#counted = 0;
    this.#considered = 0;
    this.#matches = 0;
    return this.#every === 0 ? undefined : this.#checkpointAt(this.#lastPosition);
  }

  /** Must be called for each live event. If the event matches, it must already have been sent. */
  afterLiveEvent(position: number): number | undefined {
    if (this.#every === 0) return undefined;
    this.#lastPosition = position;
    this.#counted += 1;
    if (this.#counted < this.#every) return undefined;
    this.#counted = 0;
    return this.#checkpointAt(position);
  }

  #checkpointAt(position: number): number | undefined {
    if (position <= this.#lastCheckpoint) return undefined;
    this.#lastCheckpoint = position;
    return position;
  }
}
