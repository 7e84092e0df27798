import { defaultThresholds, type Thresholds } from '@popsvc/contracts/metrics';
import { instantMs } from '@popsvc/contracts/time';
import { currentEntities, type Registry } from './registry.ts';
import { buildSegments } from './segments.ts';

/** The thresholds of a network, in force until the next version begins. */
export interface ThresholdVersion {
  /** When the version begins, in ms since 1970; 0 for the first version, which also applies to all earlier times. */
  readonly validFromMs: number;
  /** Version number of the published definition; 0 for the default thresholds. */
  readonly definition: number;
  readonly thresholds: Thresholds;
}

const byDefault = { definition: 0, thresholds: defaultThresholds };

/**
 * Returns the threshold versions of a network in chronological order. The default thresholds apply until the first published
 * version begins.
 */
export const thresholdVersions = (registry: Registry, networkId: number): ThresholdVersion[] => {
  // `currentEntities` returns the definitions in log order, and the sort is stable. Of several definitions that begin at the same
  // time, the one published last therefore applies.
  const published = currentEntities(registry, 'metric_definitions')
    .filter(({ network }) => network === networkId)
    .map(({ version, thresholds, effective_from: from }) => ({ version, thresholds, fromMs: instantMs(from)! }))
    .sort((a, b) => a.fromMs - b.fromMs);
  return buildSegments(
    published.map(({ fromMs }) => fromMs),
    (at) => {
      const inForce = published.findLast(({ fromMs }) => fromMs <= at);
      return inForce ? { definition: inForce.version, thresholds: inForce.thresholds } : byDefault;
    },
  );
};
