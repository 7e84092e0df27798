import { type EventLog } from '../log/event-log.ts';
import { type Page } from '../log/reads.ts';
import { type Segment } from '../log/segments.ts';
import {
  readFlags,
  frameLength,
  jsonFlag,
  noEventFlag,
  readRevision,
  readStreamNo,
  tombstoneFlag,
} from '../log/frames.ts';
import type { StreamEntry, StreamTable } from './stream-table.ts';
import { StreamIndex } from './stream-index.ts';
import { parseLimits, noLimits } from './stream-limits.ts';
import { readEventData, readStreamName } from './event-codec.ts';

/** Covers only the durable log. */
export class CommittedState {
  readonly table: StreamTable;
  readonly index: StreamIndex;

  constructor(log: EventLog, table: StreamTable, first: Segment) {
    this.table = table;
    this.index = new StreamIndex(log, first);
  }

  apply(page: Page, changed?: Set<string>): void {
    for (let at = page.start; at < page.end; at += frameLength(page.bytes, at)) {
      const flags = readFlags(page.bytes, at);
      if (flags & noEventFlag) continue;
      const entry = this.#findOrRegister(page.bytes, at);
      changed?.add(entry.name);
      if (flags & tombstoneFlag) {
        entry.tombstone = page.bytesPosition + at;
        continue;
      }
      entry.last = readRevision(page.bytes, at);
      this.index.add(entry, entry.last, page.bytesPosition + at);
      if (entry.isMetastream) this.#applyMetadata(entry, page.bytes, at, (flags & jsonFlag) !== 0);
    }
  }

  #findOrRegister(bytes: Buffer, at: number): StreamEntry {
    const streamNo = readStreamNo(bytes, at);
    const known = this.table.findByNumber(streamNo);
    if (known) return known;
    const entry = this.table.findOrCreate(readStreamName({ bytes, at }));
    this.table.register(entry, streamNo);
    return entry;
  }

  #applyMetadata(metastream: StreamEntry, bytes: Buffer, at: number, isJson: boolean): void {
    const name = metastream.name.slice(2);
    if (name.startsWith('$$')) return;
    this.table.findOrCreate(name).limits = isJson ? parseLimits(readEventData({ bytes, at })) : noLimits;
  }
}
