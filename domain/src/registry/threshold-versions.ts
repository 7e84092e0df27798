import { defaultThresholds } from '@popsvc/contracts/metrics';
import { instantMs } from '@popsvc/contracts/time';
import type { ThresholdVersion } from '../audience/index.ts';
import { piecewise } from './piecewise.ts';
import type { Registry } from './registry.ts';

const byDefault = { definition: 0, thresholds: defaultThresholds };

/** The thresholds of a network over all time, by when they begin; the first holds from 0, by default definition 0. */
export const thresholdVersions = (registry: Registry, networkId: number): ThresholdVersion[] => {
  const published = [...registry.entries.metric_definitions.values()]
    .map(({ latest }) => latest)
    .filter(({ entity }) => entity.network === networkId)
    .map(({ entity, position }) => ({ ...entity, position, fromMs: instantMs(entity.effective_from)! }))
    .sort((a, b) => a.fromMs - b.fromMs || (a.position < b.position ? -1 : 1));
  return piecewise(
    published.map(({ fromMs }) => fromMs),
    (at) => {
      const held = published.findLast(({ fromMs }) => fromMs <= at);
      return held ? { definition: held.version, thresholds: held.thresholds } : byDefault;
    },
  );
};
