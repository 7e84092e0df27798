import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile } from '../../kernel-lock.ts';
import { DamagedRecordError, isDiskFull } from '../log/damage.ts';
import { EventLog, type EventLogOptions } from '../log/event-log.ts';
import { type Page } from '../log/reads.ts';
import { Scrub, type ScrubOptions } from '../log/scrub.ts';
import { SegmentChecker } from '../log/segment-checker.ts';
import { type Segment } from '../log/segments.ts';
import { Appender } from './appender.ts';
import { CommittedState } from './committed-state.ts';
import { StreamReader } from './stream-reader.ts';
import { type StreamEntry, StreamTable } from './stream-table.ts';
import { readTableSnapshot, restoreTable, captureColumns, writeTableSnapshot } from './table-snapshot.ts';

class CommitListeners {
  readonly #all = new Set<() => void>();
  readonly #byStream = new Map<string, Set<() => void>>();

  /** Without `stream`, `notify` is called after each commit. Returns a function that ends the subscription. */
  subscribe(stream: string | undefined, notify: () => void): () => void {
    if (stream === undefined) {
      this.#all.add(notify);
      return () => this.#all.delete(notify);
    }
    const listeners = this.#byStream.get(stream) ?? new Set();
    this.#byStream.set(stream, listeners.add(notify));
    return () => {
      listeners.delete(notify);
      if (listeners.size === 0 && this.#byStream.get(stream) === listeners) this.#byStream.delete(stream);
    };
  }

  get hasStreamListeners(): boolean {
    return this.#byStream.size > 0;
  }

  notifyAll(streams: ReadonlySet<string>): void {
    for (const stream of streams) for (const notify of this.#byStream.get(stream) ?? []) notify();
    for (const notify of this.#all) notify();
  }
}

export interface StreamStoreOptions extends EventLogOptions {
  readonly scrub?: ScrubOptions;
}

export class StreamStore {
  readonly log: EventLog;
  readonly appender: Appender;
  readonly reader: StreamReader;
  readonly commitListeners = new CommitListeners();
  readonly #state: CommittedState;
  readonly #options: EventLogOptions;
  readonly #unlock: () => void;
  readonly #checker: SegmentChecker;
  readonly #scrub: Scrub | undefined;
  #background: Promise<unknown> = Promise.resolve();

  private constructor(
    log: EventLog,
    state: CommittedState,
    options: StreamStoreOptions,
    checker: SegmentChecker,
    unlock: () => void,
  ) {
    this.log = log;
    this.#state = state;
    this.#options = options;
    this.#unlock = unlock;
    this.#checker = checker;
    this.#scrub = log.isReadOnly
      ? undefined
      : new Scrub(log, options.dir, options.note ?? (() => undefined), options.scrub);
    this.reader = new StreamReader(log, state);
    this.appender = new Appender(log, state.table, (entry, from, to) => this.reader.readIds(entry, from, to));
    log.onCommitted = (page, segment) => {
      if (segment !== state.index.openSegment) this.#moveTo(segment);
      const changed = new Set<string>();
      state.apply(page, this.commitListeners.hasStreamListeners ? changed : undefined);
      this.commitListeners.notifyAll(changed);
    };
  }

  /** A read-only store changes no file and contains the intact events of a damaged log. */
  static async open(options: StreamStoreOptions): Promise<StreamStore> {
    const { dir, readOnly = false } = options;
    if (!readOnly) mkdirSync(dir, { recursive: true, mode: 0o700 });
    const { release } = lockLog(dir, readOnly ? 'shared' : 'exclusive');
    const checker = new SegmentChecker();
    try {
      if (!readOnly) for (const name of readdirSync(dir)) if (name.endsWith('.draft')) rmSync(join(dir, name));
      const log = await EventLog.open({ check: (path, base) => checker.check(path, base), ...options });
      const snapshot = await readTableSnapshot(join(dir, 'streams.table'));
      const covered = snapshot && log.segments.find((segment) => segment.base === snapshot.upTo);
      const first = covered ?? log.segments[0]!;
      const state = new CommittedState(log, covered ? restoreTable(snapshot) : new StreamTable(), first);
      const store = new StreamStore(log, state, options, checker, release);
      await store.#catchUp(first);
      return store;
    } catch (error) {
      await checker.close();
      release();
      throw error;
    }
  }

  find(name: string): StreamEntry | undefined {
    return this.#state.table.find(name);
  }

  nameOf(streamNo: number): string {
    return this.#state.table.findByNumber(streamNo)?.name ?? '';
  }

  async close(): Promise<void> {
    await this.#scrub?.close();
    await this.log.drain();
    await this.#checker.close();
    await this.log.close();
    await this.#background;
    this.#unlock();
  }

  async #catchUp(first: Segment): Promise<void> {
    for (let position = first.firstPosition; position < this.log.end;) {
      const page = await this.#readWholePage(position);
      if (!page) break;
      const segment = this.log.segmentOf(page.bytesPosition);
      if (segment !== this.#state.index.openSegment) {
        this.#moveTo(segment);
        await this.#background;
      }
      this.#state.apply(page);
      position = page.bytesPosition + page.end;
    }
  }

  async #readWholePage(position: number): Promise<Page | undefined> {
    for (let at: number | undefined = position; at !== undefined;) {
      try {
        return await this.log.readPageFrom(at);
      } catch (error) {
        if (!this.log.isReadOnly || !(error instanceof DamagedRecordError)) throw error;
        at = this.log.findFrameFrom(Math.max(at, error.position) + 1);
      }
    }
    return undefined;
  }

  #moveTo(segment: Segment): void {
    const table = captureColumns(this.#state.table, segment.base);
    const sealed = this.#state.index.moveTo(segment);
    if (this.log.isReadOnly) return;
    this.#background = Promise.all([this.#background, sealed])
      .then(() => writeTableSnapshot(join(this.#options.dir, 'streams.table'), table))
      .catch((error: unknown) => {
        // The index and the snapshot are derived from the log. Without these files, the next open reads more of the log.
        if (isDiskFull(error)) this.#options.note?.('disk full: derived files not written', { dir: this.#options.dir });
        else this.#options.fail(error);
      });
  }
}

/** Throws if another process holds a conflicting lock. */
export const lockLog = (dir: string, mode: 'exclusive' | 'shared'): { readonly release: () => void } => {
  const lock = lockFile(join(dir, 'lock'), mode);
  if (!lock) throw new Error(`${dir} is in use by another process; stop that process or use another folder`);
  return lock;
};
