import type { EventStore, LogEvent } from '../event-store/index.ts';
import { checkpoints, holdLease, leases, type Queryable, type Records } from '../postgres/index.ts';
import { inChunks } from './in-chunks.ts';

/** Somebody else follows, or took over: nothing is wrong. */
export class NotOurTurn extends Error {
  override readonly name = 'NotOurTurn';
}

export interface FollowParts {
  readonly store: EventStore;
  readonly records: Records;
  /** The same name takes its own lease over at once; two that run at a time need two names. */
  readonly owner: string;
}

export interface FollowTask {
  /** Under this name the lease is held and the position is kept. */
  readonly name: string;
  readonly prefixes: readonly string[];
  readonly most: number;
  readonly ageMs: number;
  /** Before the position moves; may happen again with the same events. */
  readonly handle?: (events: readonly LogEvent[]) => Promise<void>;
  /** In one transaction with the position: happens once. */
  readonly also?: (client: Queryable, events: readonly LogEvent[]) => Promise<void>;
  readonly onMoved?: (events: readonly LogEvent[]) => void;
}

/**
 * Follows the log from where it is known to have been handled, in one process at a time, until the signal. Throws when it
 * cannot go on; who calls again goes on from what is safe.
 */
export const followHeld = async (parts: FollowParts, task: FollowTask, signal: AbortSignal): Promise<void> => {
  const { store, records, owner } = parts;
  const key = { projection: task.name, generation: 1 };
  const lease = await holdLease(leases(records), key, owner);
  if (!lease) throw new NotOurTurn(`somebody else follows the log for ${task.name}`);
  // What this life follows ends with it, however it ends.
  const life = new AbortController();
  const ending = AbortSignal.any([signal, life.signal]);
  const kept = checkpoints(records);
  try {
    const known = await kept.read(key);
    const [logId, head] = [await store.identity(), await store.head()];
    if ((known.logId !== '' && known.logId !== logId) || known.position > head)
      throw new Error(`${task.name} stands at ${known.position} of another log, or of a newer copy of this one`);
    const after = known.position === 0n ? ('start' as const) : known.position;
    const source = store.follow({ after, prefixes: task.prefixes, signal: ending });
    let previous = known.position;
    for await (const events of inChunks(source, { ...task, signal: ending })) {
      await task.handle?.(events);
      const to = events.at(-1)!.position;
      const move = { ...key, epoch: lease.epoch, previous, to, logId: logId || (await store.identity()), parked: [] };
      const moved = await kept.advance({ ...move, also: async (client) => task.also?.(client, events) });
      if (!moved) throw new NotOurTurn(`the position of ${task.name} was moved by somebody else`);
      previous = to;
      task.onMoved?.(events);
    }
  } finally {
    life.abort();
    await lease.release();
  }
};
