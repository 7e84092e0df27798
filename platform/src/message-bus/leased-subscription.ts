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
  readonly maxEvents: number;
  /** Maximum time in ms that the first event of a chunk waits for further events. */
  readonly maxWaitMs: number;
  /** A caller that stops iterating early must abort this signal. */
  readonly signal: AbortSignal;
}

/** Limits the memory for a chunk of large events. One event can have more than 256 KiB. */
const maxChunkBytes = 4_000_000;
const sizeOf = ({ data }: LogEvent): number => JSON.stringify(data).length;

/** While the caller handles a chunk, reads the next one, but no further. */
async function* readChunks(
  source: AsyncIterable<SubscriptionItem>,
  { maxEvents, maxWaitMs, signal }: ChunkLimits,
): AsyncGenerator<readonly LogEvent[]> {
  let chunk: LogEvent[] = [];
  let bytes = 0;
  let hasEnded = false;
  let failure: unknown;
  const [changed, emptied] = [createSignal(signal), createSignal(signal)];
  const isFull = () => chunk.length >= maxEvents || bytes >= maxChunkBytes;
  const isOver = () => hasEnded || signal.aborted;
  const read = async () => {
    try {
      for await (const item of source) {
        if (item.kind === 'event') {
          chunk.push(item.event);
          bytes += sizeOf(item.event);
        }
        if (chunk.length === 1 || isFull()) changed.notify();
        while (isFull() && !signal.aborted) await emptied.wait();
      }
    } catch (error) {
      failure = error;
    }
    hasEnded = true;
    changed.notify();
  };
  void read();
  while (!signal.aborted) {
    while (chunk.length === 0 && !isOver()) await changed.wait();
    if (!isFull() && !isOver()) await changed.wait(maxWaitMs);
    const taken = chunk;
    chunk = [];
    bytes = 0;
    emptied.notify();
    if (taken.length > 0) yield taken;
    else if (failure !== undefined) throw failure as Error;
    else if (isOver()) return;
  }
}

export class LeaseHeldElsewhere extends Error {
  override readonly name = 'LeaseHeldElsewhere';
}

export interface LeasedSubscriptionDependencies {
  readonly store: EventStore;
  readonly postgres: Postgres;
  /** Unique among running processes. A process that restarts with the same owner need not wait until its lease expires. */
  readonly owner: string;
}

export interface LeasedSubscription {
  readonly name: string;
  readonly prefixes: readonly string[];
  readonly maxEvents: number;
  readonly maxWaitMs: number;
  /** Where a subscription without a checkpoint begins. Default: `start`. */
  readonly begin?: 'start' | 'end';
  /** Handles events before the checkpoint moves. May be called again with the same events after an error or a crash. */
  readonly handle?: (events: readonly LogEvent[]) => Promise<void>;
  /** Runs in the transaction that moves the checkpoint, so that its writes take effect exactly once. */
  readonly inTransaction?: (client: Queryable, events: readonly LogEvent[]) => Promise<void>;
  readonly onMoved?: (events: readonly LogEvent[]) => void;
}

/**
 * Throws LeaseHeldElsewhere, an Error if the checkpoint belongs to another log, or an error of the stores or of `handle`. After any error,
 * the caller may call this function again to continue from the checkpoint.
 */
export const subscribeWithLease = async (
  dependencies: LeasedSubscriptionDependencies,
  subscription: LeasedSubscription,
  signal: AbortSignal,
): Promise<void> => {
  const { store, postgres, owner } = dependencies;
  const { name, prefixes, maxEvents, maxWaitMs, begin = 'start' } = subscription;
  const key = { projection: name, generation: 1 };
  const lease = await holdLease(createLeaseStore(postgres), key, owner);
  if (!lease) throw new LeaseHeldElsewhere(`another process reads the log for ${name}`);
  const ended = new AbortController();
  const reading = AbortSignal.any([signal, ended.signal]);
  const checkpoints = createCheckpointStore(postgres);
  try {
    const checkpoint = await checkpoints.read(key);
    const [logId, head] = [await store.readLogId(), await store.readHeadPosition()];
    if ((checkpoint.logId !== '' && checkpoint.logId !== logId) || checkpoint.position > head)
      throw new Error(
        `the checkpoint of ${name} (position ${checkpoint.position}) belongs to another log, or to a newer copy of this log; see "Restore" in docs/guides/operators/repair.md`,
      );
    const move = async (
      previous: bigint,
      to: bigint,
      inTransaction: (client: Queryable) => Promise<void> = () => Promise.resolve(),
    ) => {
      const moved = await checkpoints.advance({
        ...key,
        epoch: lease.epoch,
        previous,
        to,
        logId: logId || (await store.readLogId()),
        parked: [],
        inTransaction,
      });
      if (!moved) throw new LeaseHeldElsewhere(`another process moved the checkpoint of ${name}`);
    };
    let previous = checkpoint.position;
    if (begin === 'end' && previous === 0n && head > 0n) {
      await move(previous, head);
      previous = head;
    }
    const after = previous === 0n ? ('start' as const) : previous;
    const source = store.subscribe({ after, prefixes, signal: reading });
    for await (const events of readChunks(source, { maxEvents, maxWaitMs, signal: reading })) {
      await subscription.handle?.(events);
      const to = events.at(-1)!.position;
      await move(previous, to, async (client) => subscription.inTransaction?.(client, events));
      previous = to;
      subscription.onMoved?.(events);
    }
  } finally {
    ended.abort();
    await lease.release();
  }
};
