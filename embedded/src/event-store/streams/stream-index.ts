import { readFile } from 'node:fs/promises';
import { replaceFile } from '@popsvc/platform/runtime';
import { isDiskFull } from '../log/damage.ts';
import type { EventLog } from '../log/event-log.ts';
import { readFlags, frameLength, noEventFlag, readRevision, readStreamNo, tombstoneFlag } from '../log/frames.ts';
import { indexPath, type Segment } from '../log/segments.ts';
import { OpenSegmentIndex, type RevisionRun, SegmentIndex } from './segment-index.ts';
import type { StreamEntry } from './stream-table.ts';

const maxCachedBytes = 64 * 1024 * 1024;

class SealedIndexes {
  readonly #log: EventLog;
  readonly #cached = new Map<number, SegmentIndex>();
  readonly #loading = new Map<number, Promise<SegmentIndex>>();
  #bytes = 0;

  constructor(log: EventLog) {
    this.#log = log;
  }

  async seal(segment: Segment, open: OpenSegmentIndex): Promise<void> {
    const index = SegmentIndex.from(segment.base, open);
    this.#cache(segment.base, index);
    await this.#write(segment, index);
  }

  get(segment: Segment): SegmentIndex | Promise<SegmentIndex> {
    const cached = this.#cached.get(segment.base);
    if (cached) {
      this.#cached.delete(segment.base);
      this.#cached.set(segment.base, cached);
      return cached;
    }
    let loading = this.#loading.get(segment.base);
    if (!loading) {
      loading = this.#load(segment).finally(() => this.#loading.delete(segment.base));
      this.#loading.set(segment.base, loading);
    }
    return loading;
  }

  async #load(segment: Segment): Promise<SegmentIndex> {
    const file = await readFile(indexPath(segment.path)).catch(() => Buffer.alloc(0));
    const index = SegmentIndex.read(segment.base, file) ?? (await this.#rebuild(segment));
    this.#cache(segment.base, index);
    return index;
  }

  async #rebuild(segment: Segment): Promise<SegmentIndex> {
    const open = new OpenSegmentIndex();
    for (let position = segment.firstPosition; position < segment.end;) {
      const page = await this.#log.readPageFrom(position);
      if (!page) break;
      for (let at = page.start; at < page.end; at += frameLength(page.bytes, at)) {
        if (readFlags(page.bytes, at) & (noEventFlag | tombstoneFlag)) continue;
        open.add(readStreamNo(page.bytes, at), readRevision(page.bytes, at), page.bytesPosition + at - segment.base);
      }
      position = page.bytesPosition + page.end;
    }
    const index = SegmentIndex.from(segment.base, open);
    // The index in memory suffices for reads, so a full disk must not make them fail.
    await this.#write(segment, index).catch((error: unknown) => {
      if (!isDiskFull(error)) throw error;
    });
    return index;
  }

  async #write(segment: Segment, index: SegmentIndex): Promise<void> {
    if (!this.#log.isReadOnly) await replaceFile(indexPath(segment.path), index.bytes);
  }

  #cache(base: number, index: SegmentIndex): void {
    this.#cached.set(base, index);
    this.#bytes += index.bytes.length;
    for (const [oldest, old] of this.#cached) {
      if (this.#bytes <= maxCachedBytes || oldest === base) break;
      this.#cached.delete(oldest);
      this.#bytes -= old.bytes.length;
    }
  }
}

/** An extent is the stream's events in one segment. */
const findExtent = (entry: StreamEntry, revision: number): number => {
  let low = 0;
  let high = entry.extents.length / 2 - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (entry.extents[middle * 2 + 1]! <= revision) low = middle;
    else high = middle - 1;
  }
  return low;
};

export class StreamIndex {
  readonly #log: EventLog;
  readonly #sealed: SealedIndexes;
  #open = new OpenSegmentIndex();
  #openSegment: Segment;

  constructor(log: EventLog, first: Segment) {
    this.#log = log;
    this.#sealed = new SealedIndexes(log);
    this.#openSegment = first;
  }

  add(entry: StreamEntry, revision: number, position: number): void {
    const isFirst = this.#open.add(entry.streamNo, revision, position - this.#openSegment.base);
    if (isFirst) entry.extents.push(this.#openSegment.base, revision);
  }

  /** Resolves when the index of the previous segment has been written to its file, which a read-only log skips. */
  moveTo(segment: Segment): Promise<void> {
    const sealed = this.#openSegment;
    const index = this.#open;
    this.#open = new OpenSegmentIndex();
    this.#openSegment = segment;
    return this.#sealed.seal(sealed, index);
  }

  get openSegment(): Segment {
    return this.#openSegment;
  }

  /** `to` is included. Omits revisions that the log has lost by damage. */
  findPositions(entry: StreamEntry, from: number, to: number): number[] | Promise<number[]> {
    const open = this.#open.run(entry.streamNo);
    if (open && from >= open.first) return this.#positionsIn(open, this.#openSegment.base, from, to);
    return this.#findInSealed(entry, findExtent(entry, from), from, to);
  }

  async #findInSealed(entry: StreamEntry, firstExtent: number, from: number, to: number): Promise<number[]> {
    const positions: number[] = [];
    for (let extent = firstExtent; ; extent += 1) {
      const base = entry.extents[extent * 2];
      if (base === undefined || entry.extents[extent * 2 + 1]! > to) break;
      const segment = this.#log.segmentOf(base);
      const index = segment === this.#openSegment ? this.#open : await this.#sealed.get(segment);
      const run = index.run(entry.streamNo);
      if (!run) break;
      for (const position of this.#positionsIn(run, segment.base, Math.max(from, run.first), to))
        positions.push(position);
    }
    return positions;
  }

  #positionsIn(run: RevisionRun, base: number, from: number, to: number): number[] {
    const positions: number[] = [];
    const end = Math.min(to - run.first, run.offsets.length - 1);
    for (let at = from - run.first; at <= end; at += 1) {
      const offset = run.offsets[at]!;
      if (offset > 0) positions.push(base + offset);
    }
    return positions;
  }
}
