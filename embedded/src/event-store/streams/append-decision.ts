import type { ExpectedRevision } from './event-codec.ts';

export interface KnownEvent {
  readonly streamNo: number;
  readonly revision: number;
  readonly position: number;
}

const generationSize = 32_768;

/** To drop a whole map is cheaper than to remove single ids. */
export class RecentIds {
  #young = new Map<string, KnownEvent>();
  #old = new Map<string, KnownEvent>();

  find(id: string, streamNo: number): KnownEvent | undefined {
    const known = this.#young.get(id) ?? this.#old.get(id);
    return known?.streamNo === streamNo ? known : undefined;
  }

  add(id: string, event: KnownEvent): void {
    if (this.#young.size >= generationSize) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(id, event);
  }

  remove(id: string): void {
    this.#young.delete(id);
    this.#old.delete(id);
  }
}

/** Includes the effects of accepted appends that are not durable. */
export interface StreamState {
  readonly last: number;
  readonly tombstoned: boolean;
  readonly softDeleted: boolean;
  readonly metadataExists: boolean;
}

export type AppendDecision =
  | { readonly is: 'new' }
  | { readonly is: 'deleted' }
  | { readonly is: 'wrong-version' }
  | { readonly is: 'repeated'; readonly last: KnownEvent }
  /** The ids stored from revision `from` on must be read and passed to `decideByStoredIds`. */
  | { readonly is: 'needs-stored-ids'; readonly from: number };

/** For the expected revisions `any` and `stream_exists`, only the recent ids reveal a repeated append. */
const decideUnversioned = (
  ids: readonly string[],
  findRecent: (id: string) => KnownEvent | undefined,
): AppendDecision => {
  let last: KnownEvent | undefined;
  for (const [index, id] of ids.entries()) {
    const found = findRecent(id);
    if (!found) return index === 0 ? { is: 'new' } : { is: 'wrong-version' };
    last = found;
  }
  return last ? { is: 'repeated', last } : { is: 'new' };
};

/** Checks the conditions in the same order as EventStoreDB. */
export const decideAppend = (
  stream: StreamState,
  expected: ExpectedRevision,
  ids: readonly string[],
  findRecent: (id: string) => KnownEvent | undefined,
): AppendDecision => {
  if (stream.tombstoned) return { is: 'deleted' };
  if (expected === 'stream_exists') {
    if (stream.softDeleted) return { is: 'deleted' };
    if (stream.last < 0 && !stream.metadataExists) return { is: 'wrong-version' };
  }
  if (expected === 'any' || expected === 'stream_exists') return decideUnversioned(ids, findRecent);
  const version = expected === 'no_stream' ? -1n : expected;
  const last = BigInt(stream.last);
  if (version === last) return { is: 'new' };
  if (version > last) return { is: 'wrong-version' };
  const from = Number(version) + 1;
  let end: KnownEvent | undefined;
  for (const [index, id] of ids.entries()) {
    const found = findRecent(id);
    if (found?.revision !== from + index) return { is: 'needs-stored-ids', from };
    end = found;
  }
  return end ? { is: 'repeated', last: end } : { is: 'wrong-version' };
};

/** `stored` are the ids at the same revisions; shorter than `ids` if the stream ends earlier. */
export const decideByStoredIds = (
  stream: StreamState,
  expected: ExpectedRevision,
  ids: readonly string[],
  stored: readonly (KnownEvent & { readonly id: string })[],
): AppendDecision => {
  const differs = ids.findIndex((id, index) => stored[index]?.id !== id);
  const last = stored[ids.length - 1];
  if (differs < 0 && last) return { is: 'repeated', last };
  return differs === 0 && expected === 'no_stream' && stream.softDeleted ? { is: 'new' } : { is: 'wrong-version' };
};

export type AppendOutcome =
  /** `revision`: of the last event, or -1 for an empty stream. `position` is undefined if limits hide that event. */
  | { readonly is: 'appended'; readonly revision: number; readonly position: number | undefined }
  | { readonly is: 'wrong-version'; readonly current: number }
  | { readonly is: 'deleted' };
