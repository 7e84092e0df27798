import { joinSpans, type Span } from '../spans/index.ts';

/** How long before a play a feeder's last heartbeat may lie for the feeder to count as online (decisions 5.2); milliseconds. */
export const feederOnlineWindowMs = 300_000;

/** Joins the watch periods of a detection that are no further apart than the gap (decisions 5.1). */
export const mergeWatches = (watches: readonly Span[], gapMs: number): Span[] => joinSpans(watches, gapMs);
