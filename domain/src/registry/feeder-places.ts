import { buildSegments, type Segment } from './piecewise.ts';
import { type Registry, versionAt } from './registry.ts';

/** Whose a feeder was. */
export interface FeederSegment extends Segment {
  /** 0 while the feeder was retired: then it is no device's. */
  readonly deviceId: number;
}

/**
 * Which device each feeder of a network belonged to, over all time. A feeder may move; its first registration holds for all
 * earlier times, so that heartbeats and plays which came before the registry learned of it are as if it had always known.
 * `only`: of these.
 */
export const feederPlaces = (
  registry: Registry,
  networkId: number,
  only?: Iterable<number>,
): Map<number, FeederSegment[]> => {
  const feeders = only
    ? [...only].flatMap((id) => registry.entries.feeders.get(String(id)) ?? [])
    : (registry.feedersOfNetwork.get(networkId) ?? []);
  return new Map(
    feeders.map((feeder): [number, FeederSegment[]] => {
      const at = (instantMs: number) => {
        const version = versionAt(feeder, instantMs);
        return { deviceId: version && !version.retired ? version.entity.device : 0 };
      };
      const changes = feeder.timeline.map(({ fromMs }) => fromMs);
      return [feeder.first.entity.id, buildSegments(changes, at)];
    }),
  );
};
