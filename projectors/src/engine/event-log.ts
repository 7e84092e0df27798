import {
  type EventStore,
  EventStoreUnavailable,
  type LogEvent,
  type SubscriptionItem,
} from '@popsvc/platform/event-store';
import type { Checkpoint, LeaseKey } from '@popsvc/platform/postgres';

/** What was made so far was made of another log, or of more of it than there is: nothing follows from where it stands. */
export class LogMismatch extends Error {
  override readonly name = 'AnotherLog';
}

/** The log that is followed: whose it is, and where it ends. */
export interface LogIdentity {
  readonly logId: string;
  readonly head: bigint;
}

/** Throws when a position that belongs to a log is none of this one. `logId` empty: it was never written down. */
export const requireSameLog = (
  { projection, generation }: LeaseKey,
  { position, logId }: Pick<Checkpoint, 'position' | 'logId'>,
  here: LogIdentity,
): void => {
  if (logId !== '' && logId !== here.logId)
    throw new LogMismatch(
      `${projection} generation ${generation} was projected from another log (${logId}, this is ${here.logId || 'empty'}); rebuild it`,
    );
  if (position > here.head)
    throw new LogMismatch(
      `${projection} generation ${generation} was projected up to ${position}, and the log ends at ${here.head}: it was restored from an older copy; rebuild it`,
    );
};

export const readLogIdentity = async (
  store: Pick<EventStore, 'readLogId' | 'readHeadPosition'>,
): Promise<LogIdentity> => {
  const [logId, head] = await Promise.all([store.readLogId(), store.readHeadPosition()]);
  return { logId, head };
};

/** How long nothing may come: while the past is read, through which a filter may pass long stretches, and after it. */
export interface SilenceTimeout {
  readonly catchUpMs: number;
  readonly liveMs: number;
}

/** A probe is written every ten seconds, so who hears nothing for 45 has lost the log. */
const standardSilenceTimeout: SilenceTimeout = { catchUpMs: 300_000, liveMs: 45_000 };

/**
 * Follows as long as something comes, and throws when nothing does: a connection may die without a word. Silence is counted
 * only while whoever follows waits for more.
 */
export async function* failWhenSilent(
  follow: (signal: AbortSignal) => AsyncIterable<SubscriptionItem>,
  signal: AbortSignal,
  { catchUpMs, liveMs }: SilenceTimeout = standardSilenceTimeout,
): AsyncGenerator<SubscriptionItem> {
  const silent = new AbortController();
  let [heard, seen, isWaiting, allowedMs, quietMs] = [0, 0, true, catchUpMs, 0];
  const tickMs = Math.max(1, Math.min(1_000, liveMs / 5));
  const timer = setInterval(() => {
    quietMs = isWaiting && heard === seen ? quietMs + tickMs : 0;
    seen = heard;
    if (quietMs >= allowedMs) silent.abort();
  }, tickMs);
  try {
    for await (const followed of follow(AbortSignal.any([signal, silent.signal]))) {
      heard += 1;
      if (followed.kind === 'caught-up') allowedMs = liveMs;
      isWaiting = false;
      yield followed;
      isWaiting = true;
    }
  } finally {
    clearInterval(timer);
  }
  if (silent.signal.aborted && !signal.aborted)
    throw new EventStoreUnavailable(`nothing was heard of the log for ${Math.round(quietMs / 1_000)} s`);
}

interface LogRange {
  /** Positions after it, up to and including `upTo`. */
  readonly after: bigint;
  readonly upTo: bigint;
  readonly prefixes: readonly string[];
}

/** Events of a stretch of the log. Ends early with the signal; throws when the log falls silent. */
export async function* readLogRange(
  store: Pick<EventStore, 'subscribe'>,
  { after, ...stretch }: LogRange,
  signal: AbortSignal,
  patience?: SilenceTimeout,
): AsyncGenerator<LogEvent> {
  const follow = (ending: AbortSignal) =>
    store.subscribe({ after: after === 0n ? 'start' : after, ...stretch, signal: ending });
  for await (const followed of failWhenSilent(follow, signal, patience))
    if (followed.kind === 'event') yield followed.event;
}
