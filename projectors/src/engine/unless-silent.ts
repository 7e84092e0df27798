import { EventStoreUnavailable, type SubscriptionItem } from '@popsvc/platform/event-store';

/** How long nothing may come: while the past is read, through which a filter may pass long stretches, and after it. */
export interface SilenceTimeout {
  readonly catchUpMs: number;
  readonly liveMs: number;
}

/** A probe is written every ten seconds, so who hears nothing for 45 has lost the log. */
export const standardSilenceTimeout: SilenceTimeout = { catchUpMs: 300_000, liveMs: 45_000 };

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
