import type { EventStore, LogEvent, SubscriptionItem } from '../event-store/index.ts';
import {
  createCheckpointStore,
  createLeaseStore,
  holdLease,
  type Postgres,
  type Queryable,
} from '../postgres/index.ts';
import { createSignal } from '../runtime/index.ts';

interface ChunkLimits {
  readonly most: number;
  /** How long the first event of a chunk waits for others. */
  readonly ageMs: number;
  /** Ends what is followed; whoever leaves early gives it. */
  readonly signal: AbortSignal;
}

/** A chunk is full with so much, however few events that is: rows of bulk files may be a megabyte each. */
const mostBytes = 4_000_000;
const sizeOf = ({ data }: LogEvent): number => JSON.stringify(data).length;

/** Events as they come, many at a time: while one chunk is worked on the next one fills, and when that is full reading waits. */
async function* inChunks(
  source: AsyncIterable<SubscriptionItem>,
  { most, ageMs, signal }: ChunkLimits,
): AsyncGenerator<readonly LogEvent[]> {
  let filling: LogEvent[] = [];
  let bytes = 0;
  let [ended, failure] = [false, undefined as unknown];
  const [changed, emptied] = [createSignal(signal), createSignal(signal)];
  const isFull = () => filling.length >= most || bytes >= mostBytes;
  const add = (event: LogEvent) => {
    filling.push(event);
    bytes += sizeOf(event);
  };
  const isOver = () => ended || signal.aborted;
  const read = async () => {
    try {
      for await (const followed of source) {
        if (followed.kind === 'event') add(followed.event);
        if (filling.length === 1 || isFull()) changed.notify();
        while (isFull() && !signal.aborted) await emptied.wait();
      }
    } catch (error) {
      failure = error;
    }
    ended = true;
    changed.notify();
  };
  void read();
  while (!signal.aborted) {
    while (filling.length === 0 && !isOver()) await changed.wait();
    if (!isFull() && !isOver()) await changed.wait(ageMs);
    const chunk = filling;
    [filling, bytes] = [[], 0];
    emptied.notify();
    if (chunk.length > 0) yield chunk;
    else if (failure !== undefined) throw failure as Error;
    else if (isOver()) return;
  }
}

/** Somebody else follows, or took over: nothing is wrong. */
export class LeaseHeldElsewhere extends Error {
  override readonly name = 'LeaseHeldElsewhere';
}

export interface LeasedSubscriptionDependencies {
  readonly store: EventStore;
  readonly postgres: Postgres;
  /** The same name takes its own lease over at once; two that run at a time need two names. */
  readonly owner: string;
}

export interface LeasedSubscription {
  /** Under this name the lease is held and the position is kept. */
  readonly name: string;
  readonly prefixes: readonly string[];
  readonly maxEvents: number;
  readonly maxWaitMs: number;
  /** Before the position moves; may happen again with the same events. */
  readonly handle?: (events: readonly LogEvent[]) => Promise<void>;
  /** In one transaction with the position: happens once. */
  readonly inTransaction?: (client: Queryable, events: readonly LogEvent[]) => Promise<void>;
  readonly onMoved?: (events: readonly LogEvent[]) => void;
}

/**
 * Follows the log from where it is known to have been handled, in one process at a time, until the signal. Throws when it
 * cannot go on; who calls again goes on from what is safe.
 */
export const subscribeWithLease = async (
  parts: LeasedSubscriptionDependencies,
  task: LeasedSubscription,
  signal: AbortSignal,
): Promise<void> => {
  const { store, postgres, owner } = parts;
  const key = { projection: task.name, generation: 1 };
  const lease = await holdLease(createLeaseStore(postgres), key, owner);
  if (!lease) throw new LeaseHeldElsewhere(`somebody else follows the log for ${task.name}`);
  // What this life follows ends with it, however it ends.
  const life = new AbortController();
  const ending = AbortSignal.any([signal, life.signal]);
  const kept = createCheckpointStore(postgres);
  try {
    const known = await kept.read(key);
    const [logId, head] = [await store.readLogId(), await store.readHeadPosition()];
    if ((known.logId !== '' && known.logId !== logId) || known.position > head)
      throw new Error(`${task.name} stands at ${known.position} of another log, or of a newer copy of this one`);
    const after = known.position === 0n ? ('start' as const) : known.position;
    const source = store.subscribe({ after, prefixes: task.prefixes, signal: ending });
    let previous = known.position;
    for await (const events of inChunks(source, { most: task.maxEvents, ageMs: task.maxWaitMs, signal: ending })) {
      await task.handle?.(events);
      const to = events.at(-1)!.position;
      const move = { ...key, epoch: lease.epoch, previous, to, logId: logId || (await store.readLogId()), parked: [] };
      const moved = await kept.advance({
        ...move,
        inTransaction: async (client) => task.inTransaction?.(client, events),
      });
      if (!moved) throw new LeaseHeldElsewhere(`the position of ${task.name} was moved by somebody else`);
      previous = to;
      task.onMoved?.(events);
    }
  } finally {
    life.abort();
    await lease.release();
  }
};
