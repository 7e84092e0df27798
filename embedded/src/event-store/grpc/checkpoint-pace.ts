/** Matches that fill a page of the history, however wide its window is. */
const pageMatches = 32;

/**
 * When a filtered subscription is told how far it has come, so that it need not start over where nothing matched. In the
 * history the count goes by pages and the position told is the page's last match or its start; live it goes by events.
 */
export class CheckpointPace {
  readonly #window: number;
  readonly #every: number;
  #counted = 0;
  #considered = 0;
  #matches = 0;
  #pageStart = 0;
  #lastMatch = 0;
  #seen = 0;
  #told = 0;

  /** `every` 0 means never. */
  constructor(window: number, every: number) {
    this.#window = window;
    this.#every = every;
  }

  /** Called for each event of the history; answers the position to tell, if it is time. */
  inHistory(position: number, matched: boolean): number | undefined {
    if (this.#every === 0) return undefined;
    if (this.#considered === 0) this.#pageStart = position;
    this.#considered += 1;
    this.#seen = position;
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
    return this.#tell(Math.max(this.#lastMatch, this.#pageStart));
  }

  /** Called when the history ends; everything seen so far is behind the reader. */
  atCaughtUp(): number | undefined {
    this.#counted = 0;
    this.#considered = 0;
    this.#matches = 0;
    return this.#every === 0 ? undefined : this.#tell(this.#seen);
  }

  /** Called for each live event, after the event itself was sent. */
  live(position: number): number | undefined {
    if (this.#every === 0) return undefined;
    this.#seen = position;
    this.#counted += 1;
    if (this.#counted < this.#every) return undefined;
    this.#counted = 0;
    return this.#tell(position);
  }

  /** A position is told once, and never one before it. */
  #tell(position: number): number | undefined {
    if (position <= this.#told) return undefined;
    this.#told = position;
    return position;
  }
}
