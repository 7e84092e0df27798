import { joinSpans, type Span } from '../spans/index.ts';

/** A feeder counts as online at a play if its last heartbeat was at most this long before: 5 min. */
export const feederOnlineWindowMs = 300_000;

/** Joins watch periods of a detection that lie at most `gapMs` apart. */
export const mergeWatches = (watches: readonly Span[], gapMs: number): Span[] => joinSpans(watches, gapMs);
