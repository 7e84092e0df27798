import { readFile } from 'node:fs/promises';
import {
  type EventLog,
  type Segment,
  frameLength,
  flagsOf,
  noEvent,
  revisionOf,
  streamNoOf,
  tombstone,
} from '../log/index.ts';
import { replaceFile } from '../log/replace-file.ts';
import { OpenSegmentIndex, SegmentIndex } from './segment-index.ts';

const keptBytes = 64 * 1024 * 1024;

const pathOf = (segment: Segment): string => segment.path.replace(/\.log$/, '.index');

/** The indexes of full segments: the ones in use in memory, all of them in files, each made again from its segment if lost. */
export class SegmentIndexes {
  readonly #log: EventLog;
  readonly #kept = new Map<number, SegmentIndex>();
  readonly #loading = new Map<number, Promise<SegmentIndex>>();
  #bytes = 0;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Takes over the index of a segment that has become full, and writes its file. */
  async seal(segment: Segment, open: OpenSegmentIndex): Promise<void> {
    const index = SegmentIndex.from(segment.base, open);
    this.#keep(segment.base, index);
    await replaceFile(pathOf(segment), index.bytes);
  }

  of(segment: Segment): SegmentIndex | Promise<SegmentIndex> {
    const kept = this.#kept.get(segment.base);
    if (kept) {
      this.#kept.delete(segment.base);
      this.#kept.set(segment.base, kept);
      return kept;
    }
    let loading = this.#loading.get(segment.base);
    if (!loading) {
      loading = this.#load(segment).finally(() => this.#loading.delete(segment.base));
      this.#loading.set(segment.base, loading);
    }
    return loading;
  }

  async #load(segment: Segment): Promise<SegmentIndex> {
    const file = await readFile(pathOf(segment)).catch(() => Buffer.alloc(0));
    const index = SegmentIndex.read(segment.base, file) ?? (await this.#rebuild(segment));
    this.#keep(segment.base, index);
    return index;
  }

  async #rebuild(segment: Segment): Promise<SegmentIndex> {
    const open = new OpenSegmentIndex();
    for (let position = segment.firstPosition; position < segment.end;) {
      const page = await this.#log.pageFrom(position);
      if (!page) break;
      for (let at = page.from; at < page.to; at += frameLength(page.bytes, at)) {
        if (flagsOf(page.bytes, at) & (noEvent | tombstone)) continue;
        open.add(streamNoOf(page.bytes, at), revisionOf(page.bytes, at), page.position + at - segment.base);
      }
      position = page.position + page.to;
    }
    const index = SegmentIndex.from(segment.base, open);
    await replaceFile(pathOf(segment), index.bytes);
    return index;
  }

  #keep(base: number, index: SegmentIndex): void {
    this.#kept.set(base, index);
    this.#bytes += index.bytes.length;
    for (const [oldest, old] of this.#kept) {
      if (this.#bytes <= keptBytes || oldest === base) break;
      this.#kept.delete(oldest);
      this.#bytes -= old.bytes.length;
    }
  }
}
