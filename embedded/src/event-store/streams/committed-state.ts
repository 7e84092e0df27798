import {
  type EventLog,
  type Page,
  type Segment,
  flagsOf,
  frameLength,
  json,
  noEvent,
  revisionOf,
  streamNoOf,
  tombstone,
} from '../log/index.ts';
import { type StreamEntry } from './stream-entry.ts';
import { StreamIndex } from './stream-index.ts';
import { limitsFrom, noLimits } from './stream-limits.ts';
import { type StreamTable } from './stream-table.ts';
import { dataOf, streamNameOf } from './stored-event.ts';

/** Streams and index as the durable log has them; told of every frame in order, when it is committed or read again. */
export class CommittedState {
  readonly table: StreamTable;
  readonly index: StreamIndex;

  constructor(log: EventLog, table: StreamTable, first: Segment) {
    this.table = table;
    this.index = new StreamIndex(log, first);
  }

  /** Takes in a page; `touched` gets the names of its streams if the caller wants them. */
  apply(page: Page, touched?: Set<string>): void {
    for (let at = page.from; at < page.to; at += frameLength(page.bytes, at)) {
      const flags = flagsOf(page.bytes, at);
      if (flags & noEvent) continue;
      const entry = this.#entryOf(page.bytes, at);
      touched?.add(entry.name);
      if (flags & tombstone) {
        entry.tombstone = page.position + at;
        continue;
      }
      entry.last = revisionOf(page.bytes, at);
      this.index.add(entry, entry.last, page.position + at);
      if (entry.isMetastream) this.#followMetadata(entry, page.bytes, at, (flags & json) !== 0);
    }
  }

  #entryOf(bytes: Buffer, at: number): StreamEntry {
    const no = streamNoOf(bytes, at);
    const known = this.table.at(no);
    if (known) return known;
    const entry = this.table.obtain(streamNameOf({ bytes, at }));
    this.table.register(entry, no);
    return entry;
  }

  #followMetadata(metastream: StreamEntry, bytes: Buffer, at: number, isJson: boolean): void {
    const name = metastream.name.slice(2);
    if (name.startsWith('$$')) return;
    this.table.obtain(name).limits = isJson ? limitsFrom(dataOf({ bytes, at })) : noLimits;
  }
}
