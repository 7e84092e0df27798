import { joinSpans, type Span } from '../spans/index.ts';

/**
 * A feeder counts as online during a play if it sent a heartbeat during the play or at most this long (5 min) before the play
 * began.
 */
export const feederOnlineWindowMs = 300_000;

/** Joins a detection's watch intervals if they are at most `gapMs` apart. */
export const mergeWatches = (watches: readonly Span[], gapMs: number): Span[] => joinSpans(watches, gapMs);
