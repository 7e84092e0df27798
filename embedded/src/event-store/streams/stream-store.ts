import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EventLog, type EventLogOptions, type Segment, lockDirectory } from '../log/index.ts';
import { Appender } from './appender.ts';
import { CommittedState } from './committed-state.ts';
import { type StreamEntry } from './stream-entry.ts';
import { StreamReader } from './stream-reader.ts';
import { StreamTable } from './stream-table.ts';
import { takeColumns, tableFrom } from './table-columns.ts';
import { readTable, writeTable } from './table-file.ts';
import { Wakeups } from './wakeups.ts';

/** Everything the node does with streams, without a network: the log, what is known of it, and who may write next. */
export class StreamStore {
  readonly log: EventLog;
  readonly appender: Appender;
  readonly reader: StreamReader;
  readonly wakeups = new Wakeups();
  readonly #state: CommittedState;
  readonly #options: EventLogOptions;
  readonly #unlock: () => void;
  #background: Promise<unknown> = Promise.resolve();

  private constructor(log: EventLog, state: CommittedState, options: EventLogOptions, unlock: () => void) {
    this.log = log;
    this.#state = state;
    this.#options = options;
    this.#unlock = unlock;
    this.reader = new StreamReader(log, state);
    this.appender = new Appender(log, state.table, (entry, from, to) => this.reader.idsOf(entry, from, to));
    log.onCommitted = (page, segment) => {
      if (segment !== state.index.openSegment) this.#moveTo(segment);
      const touched = new Set<string>();
      state.apply(page, this.wakeups.watchesStreams ? touched : undefined);
      this.wakeups.wake(touched);
    };
  }

  /** Opens or creates the store in `options.dir` and makes what it knows of the streams good from the log. */
  static async open(options: EventLogOptions): Promise<StreamStore> {
    mkdirSync(options.dir, { recursive: true, mode: 0o700 });
    const { release } = lockDirectory(options.dir);
    try {
      for (const name of readdirSync(options.dir)) if (name.endsWith('.draft')) rmSync(join(options.dir, name));
      const log = await EventLog.open(options);
      const snapshot = await readTable(join(options.dir, 'streams.table'));
      const covered = snapshot && log.segments.find((segment) => segment.base === snapshot.upTo);
      const first = covered ?? log.segments[0]!;
      const state = new CommittedState(log, covered ? tableFrom(snapshot) : new StreamTable(), first);
      const store = new StreamStore(log, state, options, release);
      await store.#catchUp(first);
      return store;
    } catch (error) {
      release();
      throw error;
    }
  }

  find(name: string): StreamEntry | undefined {
    return this.#state.table.find(name);
  }

  nameOf(streamNo: number): string {
    return this.#state.table.at(streamNo)?.name ?? '';
  }

  async close(): Promise<void> {
    await this.log.close();
    await this.#background;
    this.#unlock();
  }

  /** Reads again what the snapshot does not cover: usually the newest file alone. */
  async #catchUp(first: Segment): Promise<void> {
    for (let position = first.firstPosition; position < this.log.end;) {
      const page = await this.log.pageFrom(position);
      if (!page) break;
      const segment = this.log.segmentOf(page.position);
      if (segment !== this.#state.index.openSegment) {
        this.#moveTo(segment);
        await this.#background;
      }
      this.#state.apply(page);
      position = page.position + page.to;
    }
  }

  /** A file is full: its index and a snapshot of the streams up to here are written while appends go on. */
  #moveTo(segment: Segment): void {
    const table = takeColumns(this.#state.table, segment.base);
    const sealed = this.#state.index.moveTo(segment);
    this.#background = Promise.all([this.#background, sealed])
      .then(() => writeTable(join(this.#options.dir, 'streams.table'), table))
      .catch(this.#options.fail);
  }
}
