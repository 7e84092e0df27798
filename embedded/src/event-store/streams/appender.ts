import { type EventLog } from '../log/index.ts';
import { type Judgement, judgeAppend, judgeByHistory } from './judge-append.ts';
import { type ExpectedRevision, type ProposedEvent } from './proposed-event.ts';
import { type KnownEvent, RecentIds } from './recent-ids.ts';
import { encodeAppend } from './encode-append.ts';
import { firstVisible, softDeletion } from './stream-limits.ts';
import { type AppendOutcome } from './append-outcome.ts';
import { judgedStream } from './judged-stream.ts';
import { AppendDraft } from './append-draft.ts';
import { type StreamEntry } from './stream-entry.ts';
import { type StreamTable } from './stream-table.ts';

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
  append(name: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Promise<AppendOutcome> {
    const ids = events.map((event) => event.id);
    const judgement = this.#judge(name, expected, ids);
    if (judgement.is === 'history') return this.#appendByHistory(name, expected, events, ids, judgement.from);
    return this.#act(name, judgement, () => this.#write(name, events));
  }

  /** Hides all events of the stream; it may be written again. */
  deleteStream(name: string, expected: ExpectedRevision): Promise<AppendOutcome> {
    const judgement = this.#judge(name, expected, []);
    const { last, metadataExists } = judgedStream(this.#table, name);
    if (judgement.is === 'new' && last < 0 && !metadataExists) {
      return Promise.resolve({ is: 'wrong-version', current: -1 });
    }
    return this.#act(name, judgement, () => {
      const draft = new AppendDraft(this.#table);
      draft.addMetadata(name, softDeletion);
      return this.#commit(draft, last);
    });
  }

  /** Ends the stream for good. */
  tombstone(name: string, expected: ExpectedRevision): Promise<AppendOutcome> {
    return this.#act(name, this.#judge(name, expected, []), () => {
      const draft = new AppendDraft(this.#table);
      return this.#commit(draft, draft.addTombstone(name));
    });
  }

  #judge(name: string, expected: ExpectedRevision, ids: readonly string[]): Judgement {
    const no = this.#table.find(name)?.no ?? -1;
    return judgeAppend(judgedStream(this.#table, name), expected, ids, (id) => this.#recent.find(id, no));
  }

  async #appendByHistory(
    name: string,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
    ids: readonly string[],
    from: number,
  ): Promise<AppendOutcome> {
    const entry = this.#table.obtain(name);
    if (entry.ahead) await this.#log.durable(entry.ahead.position);
    const stored = await this.#storedIds(entry, from, Math.min(from + ids.length - 1, entry.last));
    const judgement = judgeByHistory(judgedStream(this.#table, name), expected, ids, stored);
    return this.#act(name, judgement, () => this.#write(name, events));
  }

  async #act(name: string, judgement: Judgement, write: () => Promise<AppendOutcome>): Promise<AppendOutcome> {
    if (judgement.is === 'new') return write();
    const entry = this.#table.find(name);
    const { last } = judgedStream(this.#table, name);
    // Nothing may be told of events that a crash could still take back.
    if (entry?.ahead) await this.#log.durable(entry.ahead.position);
    if (judgement.is === 'deleted') return { is: 'deleted' };
    if (judgement.is !== 'repeated') return { is: 'wrong-version', current: last };
    const { revision, position } = judgement.last;
    const hidden = entry !== undefined && revision < firstVisible(entry.limits, entry.last);
    return { is: 'appended', revision, position: hidden ? undefined : position };
  }

  #write(name: string, events: readonly ProposedEvent[]): Promise<AppendOutcome> {
    const draft = new AppendDraft(this.#table);
    const revision = draft.addEvents(name, events);
    return this.#commit(draft, revision, events.length);
  }

  #commit(draft: AppendDraft, revision: number, own = draft.records.length): Promise<AppendOutcome> {
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
