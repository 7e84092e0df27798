import type { StreamState } from './append-decision.ts';
import { metastreamLimits, noLimits, type StreamLimits } from './stream-limits.ts';

/** The state of a stream after all accepted appends, even if they are not durable. */
export interface PendingState {
  readonly last: number;
  readonly tombstoned: boolean;
  readonly limits: StreamLimits;
  /** Log position of the last record in the newest pending append. */
  readonly position: number;
  /** Number of pending appends that write to the stream. */
  appendCount: number;
}

/** Reads use the durable state. `pending` also includes appends that are not durable. */
export class StreamEntry {
  readonly name: string;
  /** Identifies the stream in frames; -1 before the first append to the stream. */
  streamNo = -1;
  last = -1;
  /** Log position of the tombstone; 0 if there is none. */
  tombstone = 0;
  limits: StreamLimits;
  pending: PendingState | undefined = undefined;
  /** A flat list of pairs: base of a segment with events of the stream, first revision in that segment. */
  extents: number[] = [];

  constructor(name: string) {
    this.name = name;
    this.limits = this.isMetastream ? metastreamLimits : noLimits;
  }

  get isMetastream(): boolean {
    return this.name.startsWith('$$');
  }

  get afterPendingAppends(): { readonly last: number; readonly tombstoned: boolean; readonly limits: StreamLimits } {
    return this.pending ?? { last: this.last, tombstoned: this.tombstone > 0, limits: this.limits };
  }

  beginAppend(state: Omit<PendingState, 'appendCount'>): void {
    this.pending = { ...state, appendCount: (this.pending?.appendCount ?? 0) + 1 };
  }

  completeAppend(): void {
    if (this.pending && (this.pending.appendCount -= 1) === 0) this.pending = undefined;
  }

  /** If the log cannot store one append, it does not store the later ones either. */
  abandonAppends(): void {
    this.pending = undefined;
  }
}

export class StreamTable {
  readonly #byName = new Map<string, StreamEntry>();
  readonly #byNo: (StreamEntry | undefined)[] = [];

  find(name: string): StreamEntry | undefined {
    return this.#byName.get(name);
  }

  findByNumber(no: number): StreamEntry | undefined {
    return this.#byNo[no];
  }

  findOrCreate(name: string): StreamEntry {
    const entry = this.#byName.get(name) ?? new StreamEntry(name);
    this.add(entry);
    return entry;
  }

  get nextNumber(): number {
    return this.#byNo.length;
  }

  add(entry: StreamEntry): void {
    this.#byName.set(entry.name, entry);
  }

  /** Numbers may have gaps: the first append of a stream may have failed, or a repair of the log may have removed it. */
  register(entry: StreamEntry, no: number): void {
    entry.streamNo = no;
    this.#byNo[no] = entry;
  }

  all(): StreamEntry[] {
    return [...this.#byName.values()];
  }
}

export const readStreamState = (table: StreamTable, name: string): StreamState => {
  const stream = table.find(name)?.afterPendingAppends;
  const metastream = table.find(`$$${name}`)?.afterPendingAppends;
  return {
    last: stream?.last ?? -1,
    tombstoned: stream?.tombstoned ?? false,
    softDeleted: stream?.limits.softDeleted ?? false,
    metadataExists: metastream !== undefined && metastream.last >= 0,
  };
};
