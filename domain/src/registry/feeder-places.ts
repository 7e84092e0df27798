import { piecewise, type Segment } from './piecewise.ts';
import { type Registry, versionAt } from './registry.ts';

/** Whose a feeder was. */
export interface FeederSegment extends Segment {
  /** 0 while the feeder was retired: then it is no device's. */
  readonly deviceId: number;
}

/**
 * Which device each feeder of a network belonged to, over all time. A feeder may move; its first registration holds for all
 * earlier times, so that heartbeats and plays which came before the registry learned of it are as if it had always known.
 */
export const feederPlaces = (registry: Registry, networkId: number): Map<number, FeederSegment[]> =>
  new Map(
    (registry.feedersOfNetwork.get(networkId) ?? []).map((feeder): [number, FeederSegment[]] => {
      const at = (instantMs: number) => {
        const version = versionAt(feeder, instantMs);
        return { deviceId: version && !version.retired ? version.entity.device : 0 };
      };
      const changes = feeder.timeline.map(({ fromMs }) => fromMs);
      return [feeder.first.entity.id, piecewise(changes, at)];
    }),
  );
