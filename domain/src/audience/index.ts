import { joinSpans, type Span } from '../spans/index.ts';

/** A feeder counts as online during a play if it sent a heartbeat during the play or at most this long before the play. */
export const feederOnlineWindowMs = 300_000;

export const mergeWatches = (watches: readonly Span[], gapMs: number): Span[] => joinSpans(watches, gapMs);
