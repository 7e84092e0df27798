import { randomUUID } from 'node:crypto';
import { type EventLog } from '../log/index.ts';
import { type Judged, type Judgement, judgeAppend, judgeByHistory } from './judge-append.ts';
import { type Expected, type ProposedEvent } from './proposed-event.ts';
import { type KnownEvent, RecentIds } from './recent-ids.ts';
import { type Record, encodeAppend } from './recorded-event.ts';
import { limitsFrom, noLimits, revivedMetadata, softDeletion, firstVisible } from './stream-limits.ts';
import { type StreamEntry } from './stream-entry.ts';
import { type StreamTable } from './stream-table.ts';

export type AppendOutcome =
  /** `revision` is the last one written, -1 if the stream is still empty; no position when the event is hidden. */
  | { readonly is: 'appended'; readonly revision: number; readonly position: number | undefined }
  | { readonly is: 'wrong-version'; readonly current: number }
  | { readonly is: 'deleted' };

/** What an append that is accepted puts into the log beside the caller's events. */
interface Draft {
  readonly records: Record[];
  readonly touched: StreamEntry[];
}

const metadataEvent = (data: Buffer): ProposedEvent => ({
  id: randomUUID(),
  type: Buffer.from('$metadata'),
  json: true,
  metadata: Buffer.alloc(0),
  data,
});

/** Decides on appends one after the other, in memory, and hands what is accepted to the log. */
export class Appender {
  readonly #log: EventLog;
  readonly #table: StreamTable;
  readonly #storedIds: (entry: StreamEntry, from: number, to: number) => Promise<(KnownEvent & { id: string })[]>;
  readonly #recent = new RecentIds();
  #clock = 0;

  constructor(
    log: EventLog,
    table: StreamTable,
    storedIds: (entry: StreamEntry, from: number, to: number) => Promise<(KnownEvent & { id: string })[]>,
  ) {
    this.#log = log;
    this.#table = table;
    this.#storedIds = storedIds;
  }

  /** Resolves when the events are durable, or when it is certain that they will not be written. */
  append(name: string, expected: Expected, events: readonly ProposedEvent[]): Promise<AppendOutcome> {
    const ids = events.map((event) => event.id);
    const judgement = this.#judge(name, expected, ids);
    if (judgement.is === 'history') return this.#appendByHistory(name, expected, events, ids, judgement.from);
    return this.#act(name, judgement, () => this.#write(name, events));
  }

  /** Hides all events of the stream; it may be written again. */
  deleteStream(name: string, expected: Expected): Promise<AppendOutcome> {
    const judgement = this.#judge(name, expected, []);
    const { last, metadataExists } = this.#judged(name);
    if (judgement.is === 'new' && last < 0 && !metadataExists) {
      return Promise.resolve({ is: 'wrong-version', current: -1 });
    }
    return this.#act(name, judgement, () => {
      const draft: Draft = { records: [], touched: [] };
      this.#draftMetadata(draft, name, softDeletion);
      return this.#commit(draft, last);
    });
  }

  /** Ends the stream for good. */
  tombstone(name: string, expected: Expected): Promise<AppendOutcome> {
    return this.#act(name, this.#judge(name, expected, []), () => {
      const draft: Draft = { records: [], touched: [] };
      const entry = this.#touch(draft, name);
      entry.goAhead().tombstoned = true;
      const event = { ...metadataEvent(Buffer.alloc(0)), type: Buffer.from('$streamDeleted'), json: false };
      draft.records.push(this.#record(entry, entry.judged.last + 1, event, true));
      return this.#commit(draft, entry.judged.last);
    });
  }

  #judged(name: string): Judged {
    const entry = this.#table.find(name);
    const metastream = this.#table.find(`$$${name}`);
    const state = entry?.judged;
    return {
      last: state?.last ?? -1,
      tombstoned: state?.tombstoned ?? false,
      softDeleted: state?.limits.softDeleted ?? false,
      metadataExists: (metastream?.judged.last ?? -1) >= 0,
    };
  }

  #judge(name: string, expected: Expected, ids: readonly string[]): Judgement {
    const no = this.#table.find(name)?.no ?? -1;
    return judgeAppend(this.#judged(name), expected, ids, (id) => this.#recent.find(id, no));
  }

  async #appendByHistory(
    name: string,
    expected: Expected,
    events: readonly ProposedEvent[],
    ids: readonly string[],
    from: number,
  ): Promise<AppendOutcome> {
    const entry = this.#table.obtain(name);
    if (entry.ahead) await this.#log.durable(entry.ahead.position);
    const stored = await this.#storedIds(entry, from, Math.min(from + ids.length - 1, entry.last));
    const judgement = judgeByHistory(this.#judged(name), expected, ids, stored);
    return this.#act(name, judgement, () => this.#write(name, events));
  }

  async #act(name: string, judgement: Judgement, write: () => Promise<AppendOutcome>): Promise<AppendOutcome> {
    if (judgement.is === 'new') return write();
    const entry = this.#table.find(name);
    const { last } = this.#judged(name);
    // Nothing may be told of events that a crash could still take back.
    if (entry?.ahead) await this.#log.durable(entry.ahead.position);
    if (judgement.is === 'deleted') return { is: 'deleted' };
    if (judgement.is !== 'repeated') return { is: 'wrong-version', current: last };
    const { revision, position } = judgement.last;
    const hidden = entry !== undefined && revision < firstVisible(entry.limits, entry.last);
    return { is: 'appended', revision, position: hidden ? undefined : position };
  }

  #write(name: string, events: readonly ProposedEvent[]): Promise<AppendOutcome> {
    const draft: Draft = { records: [], touched: [] };
    const entry = this.#touch(draft, name);
    const ahead = entry.goAhead();
    const before = ahead.last;
    for (const event of events) draft.records.push(this.#record(entry, (ahead.last += 1), event, false));
    const own = draft.records.length;
    const { softDeleted, text } = ahead.limits;
    if (softDeleted) this.#draftMetadata(draft, name, revivedMetadata(text, before + 1));
    if (entry.isMetastream) this.#followMetadata(draft, entry, events.at(-1));
    return this.#commit(draft, ahead.last, own);
  }

  /** An append to `$$x` changes what x shows; if x is deleted, its old events stay hidden all the same. */
  #followMetadata(draft: Draft, metastream: StreamEntry, newest: ProposedEvent | undefined): void {
    const name = metastream.name.slice(2);
    if (!newest || name.startsWith('$$')) return;
    const owner = this.#touch(draft, name, false);
    const ahead = owner.goAhead();
    const revives = ahead.limits.softDeleted;
    ahead.limits = newest.json ? limitsFrom(newest.data) : noLimits;
    if (!revives || ahead.limits.softDeleted) return;
    const text = newest.json ? newest.data.toString('utf8') : undefined;
    this.#draftMetadata(draft, owner.name, revivedMetadata(text, ahead.last + 1));
  }

  #draftMetadata(draft: Draft, name: string, data: Buffer): void {
    const metastream = this.#touch(draft, `$$${name}`);
    const ahead = metastream.goAhead();
    draft.records.push(this.#record(metastream, (ahead.last += 1), metadataEvent(data), false));
    const owner = this.#touch(draft, name, false);
    owner.goAhead().limits = limitsFrom(data);
  }

  #touch(draft: Draft, name: string, numbered = true): StreamEntry {
    const entry = this.#table.obtain(name);
    if (numbered) this.#table.number(entry);
    draft.touched.push(entry);
    return entry;
  }

  #record(entry: StreamEntry, revision: number, event: ProposedEvent, tombstone: boolean): Record {
    return { streamNo: entry.no, streamName: Buffer.from(entry.name), revision, event, tombstone };
  }

  #commit(draft: Draft, revision: number, own = draft.records.length): Promise<AppendOutcome> {
    this.#clock = Math.max(this.#clock, Date.now());
    const { frames, positions } = encodeAppend(draft.records, this.#log.nextPosition(), this.#clock);
    draft.records.slice(0, own).forEach(({ streamNo, revision: at, event }, index) => {
      this.#recent.add(event.id, { streamNo, revision: at, position: positions[index]! });
    });
    const position = positions[own - 1] ?? positions.at(-1)!;
    for (const entry of draft.touched) if (entry.ahead) entry.ahead.position = positions.at(-1)!;
    return new Promise((resolve) => {
      this.#log.append(frames, () => {
        for (const entry of draft.touched) entry.arrived();
        resolve({ is: 'appended', revision, position });
      });
    });
  }
}
