import { randomUUID } from 'node:crypto';
import { type ProposedEvent } from './proposed-event.ts';
import { type EventRecord } from './recorded-event.ts';
import { type StreamAhead, type StreamEntry } from './stream-entry.ts';
import { limitsFrom, noLimits, revivedMetadata } from './stream-limits.ts';
import { type StreamTable } from './stream-table.ts';

const systemEvent = (type: string, json: boolean, data: Buffer): ProposedEvent => ({
  id: randomUUID(),
  type: Buffer.from(type),
  json,
  metadata: Buffer.alloc(0),
  data,
});

/** The records of one append that was accepted, the caller's first, and the streams that it moves ahead. */
export class AppendDraft {
  readonly records: EventRecord[] = [];
  readonly touched: StreamEntry[] = [];
  readonly #table: StreamTable;

  constructor(table: StreamTable) {
    this.#table = table;
  }

  /** Adds events to a stream, and what they entail for its metadata; answers the stream's last revision after them. */
  addEvents(name: string, events: readonly ProposedEvent[]): number {
    const { entry, ahead } = this.#touch(name);
    const before = ahead.last;
    for (const event of events) this.#add(entry, (ahead.last += 1), event);
    const { softDeleted, text } = ahead.limits;
    const { last } = ahead;
    if (softDeleted) this.addMetadata(name, revivedMetadata(text, before + 1));
    const newest = events.at(-1);
    if (entry.isMetastream && newest) this.#followMetadata(name.slice(2), newest);
    return last;
  }

  /** Replaces the metadata of a stream. */
  addMetadata(name: string, data: Buffer): void {
    const { entry, ahead } = this.#touch(`$$${name}`);
    this.#add(entry, (ahead.last += 1), systemEvent('$metadata', true, data));
    this.#goAhead(name).limits = limitsFrom(data);
  }

  /** Ends a stream for good; answers its last revision. */
  addTombstone(name: string): number {
    const { entry, ahead } = this.#touch(name);
    ahead.tombstoned = true;
    this.#add(entry, ahead.last, systemEvent('$streamDeleted', false, Buffer.alloc(0)), true);
    return ahead.last;
  }

  /** An append to `$$x` changes what x shows; if x is deleted, its old events stay hidden all the same. */
  #followMetadata(owner: string, newest: ProposedEvent): void {
    if (owner.startsWith('$$')) return;
    const ahead = this.#goAhead(owner);
    const revives = ahead.limits.softDeleted;
    ahead.limits = newest.json ? limitsFrom(newest.data) : noLimits;
    if (!revives || ahead.limits.softDeleted) return;
    const text = newest.json ? newest.data.toString('utf8') : undefined;
    this.addMetadata(owner, revivedMetadata(text, ahead.last + 1));
  }

  #touch(name: string): { readonly entry: StreamEntry; readonly ahead: StreamAhead } {
    const ahead = this.#goAhead(name);
    const entry = this.#table.obtain(name);
    this.#table.number(entry);
    return { entry, ahead };
  }

  #goAhead(name: string): StreamAhead {
    const entry = this.#table.obtain(name);
    this.touched.push(entry);
    return entry.goAhead();
  }

  #add(entry: StreamEntry, revision: number, event: ProposedEvent, tombstone = false): void {
    this.records.push({ streamNo: entry.no, streamName: Buffer.from(entry.name), revision, event, tombstone });
  }
}
