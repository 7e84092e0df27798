import { defaultThresholds, type Thresholds } from '@popsvc/contracts/metrics';
import { instantMs } from '@popsvc/contracts/time';
import { currentEntities, type Registry } from './registry.ts';
import { buildSegments } from './segments.ts';

export interface ThresholdVersion {
  /** In ms since 1970; 0 for the first version, which also applies to all earlier times. */
  readonly validFromMs: number;
  /** Version number of the published definition; 0 for the default thresholds. */
  readonly definition: number;
  readonly thresholds: Thresholds;
}

const byDefault = { definition: 0, thresholds: defaultThresholds };

/** In chronological order. The default thresholds apply until the first published version begins. */
export const thresholdVersions = (registry: Registry, networkId: number): ThresholdVersion[] => {
  // The definitions are in log order and the sort is stable, so the last published of equal beginnings applies.
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
