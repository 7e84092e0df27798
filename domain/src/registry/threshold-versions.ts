import { defaultThresholds, type Thresholds } from '@popsvc/contracts/metrics';
import { instantMs } from '@popsvc/contracts/time';
import { currentEntities, type Registry } from './registry.ts';
import { buildSegments } from './segments.ts';

/** Thresholds of a network from an instant on. */
export interface ThresholdVersion {
  /** 0 for the first version: it also holds for all earlier times. */
  readonly validFromMs: number;
  /** Version of the published definition; 0 is the default. */
  readonly definition: number;
  readonly thresholds: Thresholds;
}

const byDefault = { definition: 0, thresholds: defaultThresholds };

/** The threshold versions of a network, ordered by beginning; without a published definition the default holds from 0. */
export const thresholdVersions = (registry: Registry, networkId: number): ThresholdVersion[] => {
  // Log order; the sort is stable, so of several definitions with one beginning the last published holds.
  const published = currentEntities(registry, 'metric_definitions')
    .filter(({ network }) => network === networkId)
    .map(({ version, thresholds, effective_from: from }) => ({ version, thresholds, fromMs: instantMs(from)! }))
    .sort((a, b) => a.fromMs - b.fromMs);
  return buildSegments(
    published.map(({ fromMs }) => fromMs),
    (at) => {
      const held = published.findLast(({ fromMs }) => fromMs <= at);
      return held ? { definition: held.version, thresholds: held.thresholds } : byDefault;
    },
  );
};
