/** A page of the history ends after this number of matches, even if its window is larger. */
const pageMatches = 32;

/**
 * Decides when a filtered subscription gets a checkpoint, from which it can resume without reading the events that did not match.
 * In the history a checkpoint is due after a number of pages, with the page's last match or its start as position; live events are
 * counted one by one. Each method returns the position of a checkpoint that is due, if any.
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

  /** `every`: events between checkpoints; 0 for none. */
  constructor(window: number, every: number) {
    this.#window = window;
    this.#every = every;
  }

  /** Call for each event of the history. */
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

  /** Call when the history ends. */
  afterCatchUp(): number | undefined {
    this.#counted = 0;
    this.#considered = 0;
    this.#matches = 0;
    return this.#every === 0 ? undefined : this.#checkpointAt(this.#lastPosition);
  }

  /** Call for each live event, after it was sent. */
  afterLiveEvent(position: number): number | undefined {
    if (this.#every === 0) return undefined;
    this.#lastPosition = position;
    this.#counted += 1;
    if (this.#counted < this.#every) return undefined;
    this.#counted = 0;
    return this.#checkpointAt(position);
  }

  /** Positions of checkpoints only grow. */
  #checkpointAt(position: number): number | undefined {
    if (position <= this.#lastCheckpoint) return undefined;
    this.#lastCheckpoint = position;
    return position;
  }
}
