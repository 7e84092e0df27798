import { randomUUID } from 'node:crypto';
import { type EventLog } from '../log/event-log.ts';
import {
  type AppendOutcome,
  decideAppend,
  decideByStoredIds,
  type AppendDecision,
  type KnownEvent,
  RecentIds,
} from './append-decision.ts';
import { encodeAppend, type EventRecord, type ExpectedRevision, type ProposedEvent } from './event-codec.ts';
import {
  firstVisibleRevision,
  parseLimits,
  noLimits,
  buildRecreatedMetadata,
  softDeleteMetadata,
  type StreamLimits,
} from './stream-limits.ts';
import { readStreamState, StreamEntry, type StreamTable } from './stream-table.ts';

const systemEvent = (type: string, json: boolean, data: Buffer): ProposedEvent => ({
  id: randomUUID(),
  type: Buffer.from(type),
  json,
  metadata: Buffer.alloc(0),
  data,
});

interface DraftedStream {
  readonly entry: StreamEntry;
  streamNo: number;
  last: number;
  tombstoned: boolean;
  limits: StreamLimits;
}

/** The stream table changes only in `apply`, so an append that cannot be encoded leaves no trace. */
class AppendDraft {
  readonly records: EventRecord[] = [];
  readonly #table: StreamTable;
  readonly #streams: DraftedStream[] = [];
  #nextNumber: number;

  constructor(table: StreamTable) {
    this.#table = table;
    this.#nextNumber = table.nextNumber;
  }

  addEvents(name: string, events: readonly ProposedEvent[]): number {
    const stream = this.#numberedStream(name);
    const before = stream.last;
    for (const event of events) this.#add(stream, (stream.last += 1), event);
    const { softDeleted, text } = stream.limits;
    const { last } = stream;
    if (softDeleted) this.addMetadata(name, buildRecreatedMetadata(text, before + 1));
    const newest = events.at(-1);
    if (stream.entry.isMetastream && newest) this.#applyMetadata(name.slice(2), newest);
    return last;
  }

  addMetadata(name: string, data: Buffer): void {
    const metastream = this.#numberedStream(`$$${name}`);
    this.#add(metastream, (metastream.last += 1), systemEvent('$metadata', true, data));
    this.#streamOf(name).limits = parseLimits(data);
  }

  addTombstone(name: string): number {
    const stream = this.#numberedStream(name);
    stream.tombstoned = true;
    this.#add(stream, stream.last, systemEvent('$streamDeleted', false, Buffer.alloc(0)), true);
    return stream.last;
  }

  /** `position`: log position of the last record. */
  apply(position: number): readonly StreamEntry[] {
    for (const { entry, streamNo, last, tombstoned, limits } of this.#streams) {
      this.#table.add(entry);
      if (streamNo !== entry.streamNo) this.#table.register(entry, streamNo);
      entry.beginAppend({ last, tombstoned, limits, position });
    }
    return this.#streams.map(({ entry }) => entry);
  }

  /** Metadata that recreate a soft-deleted stream need another metadata event, which keeps the old events hidden. */
  #applyMetadata(owner: string, newest: ProposedEvent): void {
    if (owner.startsWith('$$')) return;
    const stream = this.#streamOf(owner);
    const recreates = stream.limits.softDeleted;
    stream.limits = newest.json ? parseLimits(newest.data) : noLimits;
    if (!recreates || stream.limits.softDeleted) return;
    const text = newest.json ? newest.data.toString('utf8') : undefined;
    this.addMetadata(owner, buildRecreatedMetadata(text, stream.last + 1));
  }

  #streamOf(name: string): DraftedStream {
    const drafted = this.#streams.find(({ entry }) => entry.name === name);
    if (drafted) return drafted;
    const entry = this.#table.find(name) ?? new StreamEntry(name);
    const { last, tombstoned, limits } = entry.afterPendingAppends;
    const stream = { entry, streamNo: entry.streamNo, last, tombstoned, limits };
    this.#streams.push(stream);
    return stream;
  }

  #numberedStream(name: string): DraftedStream {
    const stream = this.#streamOf(name);
    if (stream.streamNo < 0) stream.streamNo = this.#nextNumber++;
    return stream;
  }

  #add({ entry, streamNo }: DraftedStream, revision: number, event: ProposedEvent, tombstone = false): void {
    this.records.push({ streamNo, streamName: Buffer.from(entry.name), revision, event, tombstone });
  }
}

type ReadStoredIds = (entry: StreamEntry, from: number, to: number) => Promise<(KnownEvent & { id: string })[]>;

export class Appender {
  readonly #log: EventLog;
  readonly #table: StreamTable;
  readonly #readStoredIds: ReadStoredIds;
  readonly #recent = new RecentIds();
  #clock = 0;

  constructor(log: EventLog, table: StreamTable, readStoredIds: ReadStoredIds) {
    this.#log = log;
    this.#table = table;
    this.#readStoredIds = readStoredIds;
  }

  /** Resolves when the events are durable or the append is refused. Rejects with a `LogNotWritableError` if the log cannot store them. */
  append(name: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Promise<AppendOutcome> {
    const ids = events.map((event) => event.id);
    const decision = this.#decide(name, expected, ids);
    if (decision.is === 'needs-stored-ids') return this.#appendByStoredIds(name, expected, events, ids, decision.from);
    return this.#resolve(name, decision, () => this.#write(name, events));
  }

  /** Hides all events; new events can be appended. */
  deleteStream(name: string, expected: ExpectedRevision): Promise<AppendOutcome> {
    const decision = this.#decide(name, expected, []);
    const { last, metadataExists } = readStreamState(this.#table, name);
    if (decision.is === 'new' && last < 0 && !metadataExists) {
      return Promise.resolve({ is: 'wrong-version', current: -1 });
    }
    return this.#resolve(name, decision, () => {
      const draft = new AppendDraft(this.#table);
      draft.addMetadata(name, softDeleteMetadata);
      return this.#commit(draft, last);
    });
  }

  /** No append to the stream succeeds afterwards. */
  tombstone(name: string, expected: ExpectedRevision): Promise<AppendOutcome> {
    return this.#resolve(name, this.#decide(name, expected, []), () => {
      const draft = new AppendDraft(this.#table);
      return this.#commit(draft, draft.addTombstone(name));
    });
  }

  #decide(name: string, expected: ExpectedRevision, ids: readonly string[]): AppendDecision {
    const streamNo = this.#table.find(name)?.streamNo ?? -1;
    return decideAppend(readStreamState(this.#table, name), expected, ids, (id) => this.#recent.find(id, streamNo));
  }

  async #appendByStoredIds(
    name: string,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
    ids: readonly string[],
    from: number,
  ): Promise<AppendOutcome> {
    const entry = this.#table.find(name) ?? new StreamEntry(name);
    if (entry.pending) await this.#log.waitUntilDurable(entry.pending.position);
    const stored = await this.#readStoredIds(entry, from, Math.min(from + ids.length - 1, entry.last));
    const decision = decideByStoredIds(readStreamState(this.#table, name), expected, ids, stored);
    return this.#resolve(name, decision, () => this.#write(name, events));
  }

  async #resolve(name: string, decision: AppendDecision, write: () => Promise<AppendOutcome>): Promise<AppendOutcome> {
    if (decision.is === 'new') return write();
    const entry = this.#table.find(name);
    const { last } = readStreamState(this.#table, name);
    // The response must not report events that a crash could still remove.
    if (entry?.pending) await this.#log.waitUntilDurable(entry.pending.position);
    if (decision.is === 'deleted') return { is: 'deleted' };
    if (decision.is !== 'repeated') return { is: 'wrong-version', current: last };
    const { revision, position } = decision.last;
    const hidden = entry !== undefined && revision < firstVisibleRevision(entry.limits, entry.last);
    return { is: 'appended', revision, position: hidden ? undefined : position };
  }

  #write(name: string, events: readonly ProposedEvent[]): Promise<AppendOutcome> {
    const draft = new AppendDraft(this.#table);
    const revision = draft.addEvents(name, events);
    return this.#commit(draft, revision, events.length);
  }

  async #commit(draft: AppendDraft, revision: number, ownCount = draft.records.length): Promise<AppendOutcome> {
    this.#clock = Math.max(this.#clock, Date.now());
    const { frames, positions } = encodeAppend(draft.records, this.#log.reserveNextPosition(), this.#clock);
    const streams = draft.apply(positions.at(-1)!);
    draft.records.slice(0, ownCount).forEach(({ streamNo, revision: at, event }, index) => {
      this.#recent.add(event.id, { streamNo, revision: at, position: positions[index]! });
    });
    const position = positions[ownCount - 1] ?? positions.at(-1)!;
    return new Promise((resolve, reject) => {
      const commit = (): void => {
        for (const entry of streams) entry.completeAppend();
        resolve({ is: 'appended', revision, position });
      };
      const giveUp = (error: Error): void => {
        for (const entry of streams) entry.abandonAppends();
        for (const { event } of draft.records) this.#recent.remove(event.id);
        reject(error);
      };
      this.#log.append(frames, commit, giveUp);
    });
  }
}
