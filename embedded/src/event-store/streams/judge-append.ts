import { type KnownEvent } from './recent-ids.ts';
import { type ExpectedRevision } from './proposed-event.ts';

/** The stream as the append meets it. */
export interface Judged {
  readonly last: number;
  readonly tombstoned: boolean;
  readonly softDeleted: boolean;
  readonly metadataExists: boolean;
}

export type Judgement =
  | { readonly is: 'new' }
  | { readonly is: 'deleted' }
  | { readonly is: 'wrong-version' }
  /** All of it was appended before; `last` is where its last event stands. */
  | { readonly is: 'repeated'; readonly last: KnownEvent }
  /** Only the stored ids from revision `from` on can tell; see `judgeByHistory`. */
  | { readonly is: 'history'; readonly from: number };

/** Appends that name no revision are recognised by the ids still remembered, and only by their first event as new. */
const judgeUnversioned = (ids: readonly string[], known: (id: string) => KnownEvent | undefined): Judgement => {
  let last: KnownEvent | undefined;
  for (const [index, id] of ids.entries()) {
    const found = known(id);
    if (!found) return index === 0 ? { is: 'new' } : { is: 'wrong-version' };
    last = found;
  }
  return last ? { is: 'repeated', last } : { is: 'new' };
};

/** Whether an append is new, a repetition, or against the expected revision: section by section as the server decides. */
export const judgeAppend = (
  stream: Judged,
  expected: ExpectedRevision,
  ids: readonly string[],
  known: (id: string) => KnownEvent | undefined,
): Judgement => {
  if (stream.tombstoned) return { is: 'deleted' };
  if (expected === 'stream_exists') {
    if (stream.softDeleted) return { is: 'deleted' };
    if (stream.last < 0 && !stream.metadataExists) return { is: 'wrong-version' };
  }
  if (expected === 'any' || expected === 'stream_exists') return judgeUnversioned(ids, known);
  const version = expected === 'no_stream' ? -1n : expected;
  const last = BigInt(stream.last);
  if (version === last) return { is: 'new' };
  if (version > last) return { is: 'wrong-version' };
  const from = Number(version) + 1;
  let end: KnownEvent | undefined;
  for (const [index, id] of ids.entries()) {
    const found = known(id);
    if (found?.revision !== from + index) return { is: 'history', from };
    end = found;
  }
  return end ? { is: 'repeated', last: end } : { is: 'wrong-version' };
};

/** Judges by the ids that stand where the append would have stood; `stored` ends where the stream does. */
export const judgeByHistory = (
  stream: Judged,
  expected: ExpectedRevision,
  ids: readonly string[],
  stored: readonly (KnownEvent & { readonly id: string })[],
): Judgement => {
  const differs = ids.findIndex((id, index) => stored[index]?.id !== id);
  const last = stored[ids.length - 1];
  if (differs < 0 && last) return { is: 'repeated', last };
  return differs === 0 && expected === 'no_stream' && stream.softDeleted ? { is: 'new' } : { is: 'wrong-version' };
};
