import type { Thresholds } from '@popsvc/contracts/metrics';
import { lengthOf, type Span } from '../spans/index.ts';
import { mergeWatches } from './merge-watches.ts';
import { percent } from './percent.ts';

/** What watcher-summary tells of a whole detection; milliseconds, attention 0 to 100. */
export interface DetectionSummary {
  readonly isWatcher: boolean;
  readonly durationMs: number;
  readonly watchMs: number;
  readonly attention: number;
}

export const summarizeDetection = (
  detection: Span & { readonly watches: readonly Span[] },
  thresholds: Thresholds,
): DetectionSummary => {
  const durationMs = detection.to - detection.from;
  const watchMs = lengthOf(mergeWatches(detection.watches, thresholds.merge_gap_ms));
  return { isWatcher: watchMs > 0, durationMs, watchMs, attention: percent(watchMs, durationMs) };
};
