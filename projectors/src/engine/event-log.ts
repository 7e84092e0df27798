import { listPartitions } from '@popsvc/domain/partitioning';
import { type EventStore, EventStoreUnavailable, type SubscriptionItem } from '@popsvc/platform/event-store';
import type { Checkpoint, CheckpointStore, GenerationKey, HandledEvent } from '@popsvc/platform/postgres';
import type { Generation } from '@popsvc/read-models/generations';

/** Thrown if a generation's positions are not valid in this log, for example because the log was restored from a backup. */
export class LogMismatch extends Error {
  override readonly name = 'LogMismatch';

  readonly reason: string;

  constructor(reason: string) {
    super(`${reason}; rebuild it`);
    this.reason = reason;
  }
}

export interface LogIdentity {
  readonly logId: string;
  readonly head: bigint;
}

/** Throws `LogMismatch` unless the position belongs to the log `here`. An empty `logId` matches any log. */
export const requireSameLog = (
  { projection, generation }: GenerationKey,
  { position, logId }: Pick<Checkpoint, 'position' | 'logId'>,
  here: LogIdentity,
): void => {
  if (logId !== '' && logId !== here.logId)
    throw new LogMismatch(
      `${projection} generation ${generation} was projected from another log (${logId}, this is ${here.logId || 'empty'})`,
    );
  if (position > here.head)
    throw new LogMismatch(
      `${projection} generation ${generation} was projected up to ${position}, and the log ends at ${here.head}: it was restored from an older copy`,
    );
};

/** Throws `LogMismatch` unless the log has the last handled event: a repaired or restored log may have another one at its position. */
export const requireHandledEvent = async (
  store: Pick<EventStore, 'readEventAt'>,
  { projection, generation }: GenerationKey,
  event: HandledEvent | undefined,
): Promise<void> => {
  if (!event) return;
  const found = await store.readEventAt(event.position);
  if (found?.id === event.id) return;
  throw new LogMismatch(
    `${projection} generation ${generation} is ahead of the log: it handled event ${event.id} at position ${event.position}, where the log ` +
      `${found ? `has ${found.id}` : 'has no event'}. The log was repaired or restored from an older copy`,
  );
};

/** Returns false if a replay would lose rows whose events are missing from the log. Only an operator may then start one. */
export const isOfLog = async (
  { store, checkpoints }: { readonly store: EventStore; readonly checkpoints: CheckpointStore },
  { projection, generation, partitions = 1 }: Generation,
): Promise<boolean> => {
  try {
    for (const { index } of listPartitions(partitions)) {
      const key = { projection: projection.name, generation, partition: index };
      const checkpoint = await checkpoints.read(key);
      requireSameLog(key, checkpoint, await readLogIdentity(store));
      await requireHandledEvent(store, key, checkpoint.event);
    }
    return true;
  } catch (error) {
    if (error instanceof LogMismatch) return false;
    throw error;
  }
};

export const readLogIdentity = async (
  store: Pick<EventStore, 'readLogId' | 'readHeadPosition'>,
): Promise<LogIdentity> => {
  const [logId, head] = await Promise.all([store.readLogId(), store.readHeadPosition()]);
  return { logId, head };
};

export interface SilenceTimeout {
  /** Long, because the run receives nothing while the server skips events that the filter excludes. */
  readonly catchUpMs: number;
  readonly liveMs: number;
}

/** Freshness probes are appended every 10 s, so a subscription counts as dead after 45 s without an event. */
const standardSilenceTimeout: SilenceTimeout = { catchUpMs: 300_000, liveMs: 45_000 };

/**
 * Throws `EventStoreUnavailable` if nothing arrives in time, because a connection can break without an error. Time that the consumer takes
 * does not count.
 */
export async function* failWhenSilent(
  follow: (signal: AbortSignal) => AsyncIterable<SubscriptionItem>,
  signal: AbortSignal,
  { catchUpMs, liveMs }: SilenceTimeout = standardSilenceTimeout,
): AsyncGenerator<SubscriptionItem> {
  const silent = new AbortController();
  let received = 0;
  let receivedAtLastTick = 0;
  let isWaiting = true;
  let allowedMs = catchUpMs;
  let quietMs = 0;
  const tickMs = Math.max(1, Math.min(1_000, liveMs / 5));
  const timer = setInterval(() => {
    quietMs = isWaiting && received === receivedAtLastTick ? quietMs + tickMs : 0;
    receivedAtLastTick = received;
    if (quietMs >= allowedMs) silent.abort();
  }, tickMs);
  try {
    for await (const followed of follow(AbortSignal.any([signal, silent.signal]))) {
      received += 1;
      if (followed.kind === 'caught-up') allowedMs = liveMs;
      isWaiting = false;
      yield followed;
      isWaiting = true;
    }
  } finally {
    clearInterval(timer);
  }
  if (silent.signal.aborted && !signal.aborted)
    throw new EventStoreUnavailable(`the log sent nothing for ${Math.round(quietMs / 1_000)} s`);
}
