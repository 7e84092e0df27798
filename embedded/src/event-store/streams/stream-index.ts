import { type EventLog, type Segment } from '../log/index.ts';
import { OpenSegmentIndex, type Run } from './segment-index.ts';
import { SegmentIndexes } from './segment-indexes.ts';
import { type StreamEntry } from './stream-entry.ts';

/** Number of the extent of `entry` that holds `revision`. */
const extentOf = (entry: StreamEntry, revision: number): number => {
  let low = 0;
  let high = entry.extents.length / 2 - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (entry.extents[middle * 2 + 1]! <= revision) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** Finds events by stream and revision: the newest segment in memory, full ones by their index files. */
export class StreamIndex {
  readonly #log: EventLog;
  readonly #sealed: SegmentIndexes;
  #open = new OpenSegmentIndex();
  #openSegment: Segment;

  constructor(log: EventLog, first: Segment) {
    this.#log = log;
    this.#sealed = new SegmentIndexes(log);
    this.#openSegment = first;
  }

  add(entry: StreamEntry, revision: number, position: number): void {
    const isFirst = this.#open.add(entry.no, revision, position - this.#openSegment.base);
    if (isFirst) entry.extents.push(this.#openSegment.base, revision);
  }

  /** Goes on in another segment; the index of the one before is written in the background. */
  moveTo(segment: Segment): Promise<void> {
    const full = this.#openSegment;
    const index = this.#open;
    this.#open = new OpenSegmentIndex();
    this.#openSegment = segment;
    return this.#sealed.seal(full, index);
  }

  get openSegment(): Segment {
    return this.#openSegment;
  }

  /** Positions of the revisions `from` to `to` (both included, all of them existing) of a stream. */
  positions(entry: StreamEntry, from: number, to: number): number[] | Promise<number[]> {
    const extent = extentOf(entry, from);
    const open = this.#open.run(entry.no);
    if (open && from >= open.first) return this.#take(open, this.#openSegment.base, from, to);
    return this.#fromSealed(entry, extent, from, to);
  }

  async #fromSealed(entry: StreamEntry, firstExtent: number, from: number, to: number): Promise<number[]> {
    const positions: number[] = [];
    for (let extent = firstExtent; from + positions.length <= to; extent += 1) {
      const base = entry.extents[extent * 2];
      if (base === undefined) break;
      const segment = this.#log.segmentOf(base);
      const index = segment === this.#openSegment ? this.#open : await this.#sealed.of(segment);
      const run = index.run(entry.no);
      if (!run) break;
      for (const position of this.#take(run, segment.base, from + positions.length, to)) positions.push(position);
    }
    return positions;
  }

  #take(run: Run, base: number, from: number, to: number): number[] {
    const positions: number[] = [];
    const end = Math.min(to - run.first, run.offsets.length - 1);
    for (let at = from - run.first; at <= end; at += 1) positions.push(base + run.offsets[at]!);
    return positions;
  }
}
