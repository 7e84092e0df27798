import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Segment } from './segment.ts';

/** The files of the log in the order of their positions. */
export class Segments {
  readonly #dir: string;
  readonly #all: Segment[];

  private constructor(dir: string, all: Segment[]) {
    this.#dir = dir;
    this.#all = all;
  }

  /** Opens what is there and begins a first file in an empty directory. */
  static async open(dir: string): Promise<Segments> {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const names = readdirSync(dir).filter((name) => /^\d{16}\.log$/.test(name));
    const opened: Segment[] = [];
    for (const name of names.sort()) {
      const segment = Segment.open(dir, Number(name.slice(0, 16)));
      if (segment) opened.push(segment);
      else if (name === names.at(-1)) rmSync(join(dir, name));
      else throw new Error(`${join(dir, name)} ends within its header, and other segments follow it`);
    }
    const segments = new Segments(dir, opened);
    if (opened.length === 0) await segments.begin(0);
    return segments;
  }

  get last(): Segment {
    return this.#all.at(-1)!;
  }

  get all(): readonly Segment[] {
    return this.#all;
  }

  /** Begins the next file, whose first position lies at `base` or behind. */
  async begin(base: number): Promise<Segment> {
    const segment = await Segment.create(this.#dir, base);
    this.#all.push(segment);
    return segment;
  }

  /** The segment that holds `position`, or would hold it: the last one that begins at or before it. */
  holding(position: number): Segment {
    return this.#all[this.#indexOf(position)]!;
  }

  before(segment: Segment): Segment | undefined {
    return this.#all[this.#indexOf(segment.base) - 1];
  }

  after(segment: Segment): Segment | undefined {
    return this.#all[this.#indexOf(segment.base) + 1];
  }

  close(): void {
    for (const segment of this.#all) segment.close();
  }

  #indexOf(position: number): number {
    let low = 0;
    let high = this.#all.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#all[middle]!.base <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
