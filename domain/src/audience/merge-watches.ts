import { joinSpans, type Span } from '../spans/index.ts';

/** The looks of one detection as attribution sees them: looks no further apart than the gap are one (decisions 5.1). */
export const mergeWatches = (watches: readonly Span[], gapMs: number): Span[] => joinSpans(watches, gapMs);
