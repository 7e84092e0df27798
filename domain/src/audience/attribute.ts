import type { Thresholds } from '@popsvc/contracts/metrics';
import type { PopType } from '@popsvc/contracts/vocabulary';
import { cutSpans, lengthOf, type Span } from '../spans/index.ts';
import type { Detection } from './detection.ts';
import { mergeWatches } from './merge-watches.ts';
import { metricFlags, type MetricFlags, noFlags } from './metric-flags.ts';
import { percent } from './percent.ts';

export interface Play {
  readonly startMs: number;
  readonly durationMs: number;
  /** Whether a feeder of the device was online during the play: tells nobody there from nobody looking out. */
  readonly feederOnline?: boolean;
}

/** The audience part of one coffee row. Without a detection it says that the play was seen by nobody we know of. */
export interface CoffeeAudience<Seen extends Detection = Detection> extends MetricFlags {
  readonly popType: PopType;
  readonly detection: Seen | undefined;
  readonly presenceMs: number;
  readonly watchMs: number;
  /** The looks, merged and cut to the play. */
  readonly watches: readonly Span[];
  /** 0 to 100. */
  readonly attention: number;
}

const unseen = (popType: PopType): CoffeeAudience<never> => ({
  ...noFlags,
  popType,
  detection: undefined,
  presenceMs: 0,
  watchMs: 0,
  watches: [],
  attention: 0,
});

/**
 * The specification of decisions 5.1 to 5.3, which the SQL is held against: one entry a detection that was present long
 * enough, else exactly one without. Takes the standing detections of the play's device, in any order.
 */
export const attributeAudience = <Seen extends Detection>(
  { startMs, durationMs, feederOnline = false }: Play,
  detections: readonly Seen[],
  thresholds: Thresholds,
): CoffeeAudience<Seen>[] => {
  const frame = { from: startMs, to: startMs + durationMs };
  const seen = detections.flatMap((detection): CoffeeAudience<Seen>[] => {
    const presenceMs = lengthOf(cutSpans([detection], frame));
    if (presenceMs < thresholds.min_presence_ms) return [];
    const watches = cutSpans(mergeWatches(detection.watches, thresholds.merge_gap_ms), frame);
    const watchMs = lengthOf(watches);
    const flags = metricFlags({ playMs: durationMs, presenceMs, watchMs }, thresholds);
    const attention = percent(watchMs, presenceMs);
    return [{ ...flags, popType: detection.population, detection, presenceMs, watchMs, watches, attention }];
  });
  return seen.length > 0 ? seen : [unseen(feederOnline ? 'NONE' : 'UNMEASURED')];
};
