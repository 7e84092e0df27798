import { defaultThresholds } from '@popsvc/contracts/metrics';
import { instantMs } from '@popsvc/contracts/time';
import type { ThresholdVersion } from '../audience/index.ts';
import { currentEntities, type Registry } from './registry.ts';
import { buildSegments } from './segments.ts';

const byDefault = { definition: 0, thresholds: defaultThresholds };

/** The thresholds of a network over all time, by when they begin; the first holds from 0, by default definition 0. */
export const thresholdVersions = (registry: Registry, networkId: number): ThresholdVersion[] => {
  // In the order of the log, which the sort keeps: of one instant the last holds.
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
