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
} from './stream-limits.ts';
import { readStreamState, type PendingState, type StreamEntry, type StreamTable } from './stream-table.ts';

const systemEvent = (type: string, json: boolean, data: Buffer): ProposedEvent => ({
  id: randomUUID(),
  type: Buffer.from(type),
  json,
  metadata: Buffer.alloc(0),
  data,
});

/**
 * The result of one accepted append: the records to write, beginning with the caller's events, and the streams whose pending state
 * changes.
 */
class AppendDraft {
  readonly records: EventRecord[] = [];
  readonly changedStreams: StreamEntry[] = [];
  readonly #table: StreamTable;

  constructor(table: StreamTable) {
    this.#table = table;
  }

  /**
   * Adds events to a stream. If the stream was soft-deleted, also adds the metadata event that recreates it. Returns the new last
   * revision of the stream.
   */
  addEvents(name: string, events: readonly ProposedEvent[]): number {
    const { entry, pending } = this.#prepare(name);
    const before = pending.last;
    for (const event of events) this.#add(entry, (pending.last += 1), event);
    const { softDeleted, text } = pending.limits;
    const { last } = pending;
    if (softDeleted) this.addMetadata(name, buildRecreatedMetadata(text, before + 1));
    const newest = events.at(-1);
    if (entry.isMetastream && newest) this.#applyMetadata(name.slice(2), newest);
    return last;
  }

  /** Replaces the metadata of a stream. */
  addMetadata(name: string, data: Buffer): void {
    const { entry, pending } = this.#prepare(`$$${name}`);
    this.#add(entry, (pending.last += 1), systemEvent('$metadata', true, data));
    this.#pendingStateOf(name).limits = parseLimits(data);
  }

  /** Adds the tombstone of a stream; returns the stream's last revision. */
  addTombstone(name: string): number {
    const { entry, pending } = this.#prepare(name);
    pending.tombstoned = true;
    this.#add(entry, pending.last, systemEvent('$streamDeleted', false, Buffer.alloc(0)), true);
    return pending.last;
  }

  /**
   * Updates the limits of the stream `owner` after an event was added to its metastream. `newest`: the event that contains the new
   * limits. If the stream is soft-deleted, its old events stay hidden.
   */
  #applyMetadata(owner: string, newest: ProposedEvent): void {
    if (owner.startsWith('$$')) return;
    const pending = this.#pendingStateOf(owner);
    const recreates = pending.limits.softDeleted;
    pending.limits = newest.json ? parseLimits(newest.data) : noLimits;
    if (!recreates || pending.limits.softDeleted) return;
    const text = newest.json ? newest.data.toString('utf8') : undefined;
    this.addMetadata(owner, buildRecreatedMetadata(text, pending.last + 1));
  }

  #prepare(name: string): { readonly entry: StreamEntry; readonly pending: PendingState } {
    const pending = this.#pendingStateOf(name);
    const entry = this.#table.findOrCreate(name);
    this.#table.assignNumber(entry);
    return { entry, pending };
  }

  #pendingStateOf(name: string): PendingState {
    const entry = this.#table.findOrCreate(name);
    this.changedStreams.push(entry);
    return entry.beginAppend();
  }

  #add(entry: StreamEntry, revision: number, event: ProposedEvent, tombstone = false): void {
    this.records.push({ streamNo: entry.streamNo, streamName: Buffer.from(entry.name), revision, event, tombstone });
  }
}

/** Reads the ids of a stream's events at the revisions `from` to `to`. */
type ReadStoredIds = (entry: StreamEntry, from: number, to: number) => Promise<(KnownEvent & { id: string })[]>;

/** Decides on appends one after another, in memory, and passes accepted ones to the log. */
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

  /** Resolves when the events are durable or when the append is rejected. */
  append(name: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Promise<AppendOutcome> {
    const ids = events.map((event) => event.id);
    const decision = this.#decide(name, expected, ids);
    if (decision.is === 'needs-stored-ids') return this.#appendByStoredIds(name, expected, events, ids, decision.from);
    return this.#resolve(name, decision, () => this.#write(name, events));
  }

  /** Soft-deletes a stream: hides all its events. New events can be appended to it. */
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

  /** Hard-deletes a stream: no append to the stream succeeds afterwards. */
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
    const entry = this.#table.findOrCreate(name);
    if (entry.pending) await this.#log.waitUntilDurable(entry.pending.position);
    const stored = await this.#readStoredIds(entry, from, Math.min(from + ids.length - 1, entry.last));
    const decision = decideByStoredIds(readStreamState(this.#table, name), expected, ids, stored);
    return this.#resolve(name, decision, () => this.#write(name, events));
  }

  async #resolve(name: string, decision: AppendDecision, write: () => Promise<AppendOutcome>): Promise<AppendOutcome> {
    if (decision.is === 'new') return write();
    const entry = this.#table.find(name);
    const { last } = readStreamState(this.#table, name);
    // Waits for pending appends, because the response must not report events that a crash could still remove.
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

  #commit(draft: AppendDraft, revision: number, ownCount = draft.records.length): Promise<AppendOutcome> {
    this.#clock = Math.max(this.#clock, Date.now());
    const { frames, positions } = encodeAppend(draft.records, this.#log.reserveNextPosition(), this.#clock);
    draft.records.slice(0, ownCount).forEach(({ streamNo, revision: at, event }, index) => {
      this.#recent.add(event.id, { streamNo, revision: at, position: positions[index]! });
    });
    const position = positions[ownCount - 1] ?? positions.at(-1)!;
    for (const entry of draft.changedStreams) if (entry.pending) entry.pending.position = positions.at(-1)!;
    return new Promise((resolve) => {
      this.#log.append(frames, () => {
        for (const entry of draft.changedStreams) entry.completeAppend();
        resolve({ is: 'appended', revision, position });
      });
    });
  }
}
