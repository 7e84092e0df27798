import { ownsNetwork, type Partition } from '@popsvc/domain/partitioning';
import type { ThresholdVersion } from '@popsvc/domain/registry';
import {
  type AffectedPlaces,
  affectedPlaces,
  devicePlaces,
  diffSegments,
  emptyRegistry,
  type FeederSegment,
  foldRegistry,
  type PlaceSegment,
  type Registry,
  screenPlaces,
  thresholdVersions,
} from '@popsvc/domain/registry';
import { type LogItem, readItem } from '../../engine/log-items.ts';
import type { StaleWindow } from '../../engine/projection.ts';
import {
  type FeederRow,
  feederRows,
  joinWindows,
  placeRow,
  type PlaceRow,
  thresholdRow,
  type ThresholdRow,
} from './placement-changes.ts';

type SegmentsByKey<Key, Held> = ReadonlyMap<Key, readonly Held[]>;

interface PlacementKeys<Key> {
  /** Call it before the event is folded. */
  readonly affectedKeys: (registry: Registry, affected: AffectedPlaces) => Iterable<Key>;
  readonly places: (registry: Registry, network: number, keys: Iterable<Key>) => SegmentsByKey<Key, PlaceSegment>;
}

/** The key '' means all unknown screens of a network. */
export const screenPlacement: PlacementKeys<string> = {
  affectedKeys: ({ devicesOfScreen }, { network, devices }) => [
    '',
    ...(devices === 'all' ? (devicesOfScreen.get(network)?.keys() ?? []) : devices.flatMap(({ screens }) => screens)),
  ],
  places: screenPlaces,
};

export const devicePlacement: PlacementKeys<number> = {
  affectedKeys: ({ devicesOfNetwork }, { network, devices }) =>
    devices === 'all'
      ? (devicesOfNetwork.get(network) ?? []).map(({ first }) => first.entity.id)
      : devices.map(({ id }) => id),
  places: devicePlaces,
};

type ReadFeeders = (
  registry: Registry,
  network: number,
  feeders: Iterable<number>,
) => SegmentsByKey<number, FeederSegment>;

export interface PlacementChanges<Key> {
  readonly places: (PlaceRow & { readonly key: Key })[];
  readonly thresholds: ThresholdRow[];
  readonly feeders: FeederRow[];
  readonly changes: StaleWindow[];
}

interface NetworkState<Key> {
  readonly places: SegmentsByKey<Key, PlaceSegment>;
  readonly thresholds: readonly ThresholdVersion[];
  readonly feeders: SegmentsByKey<number, FeederSegment>;
}

const noChanges = <Key>(): PlacementChanges<Key> => ({ places: [], thresholds: [], feeders: [], changes: [] });

/**
 * The changes of an event do not depend on its batch, so events that are folded again give the same rows. The registry contains all
 * networks; changes are only those of the partition's networks.
 */
export const createPlacementWatch = <Key>(
  keysOf: PlacementKeys<Key>,
  partition: Partition,
  readFeeders?: ReadFeeders,
) => {
  const registry = emptyRegistry();
  let collected = noChanges<Key>();

  const fold = ({ type, sequence, recordedAtMs }: LogItem, data: unknown) => {
    foldRegistry(registry, { type, data, atMs: recordedAtMs, position: sequence });
  };

  /** A network that is not registered has no placement, not even that of unknown screens. */
  const readState = (network: number, keys: readonly Key[], feeders: readonly number[]): NetworkState<Key> =>
    registry.entries.networks.has(String(network))
      ? {
          places: keysOf.places(registry, network, keys),
          thresholds: thresholdVersions(registry, network),
          feeders: readFeeders?.(registry, network, feeders) ?? new Map<number, never>(),
        }
      : { places: new Map<Key, never>(), thresholds: [], feeders: new Map<number, never>() };

  const collect = (network: number, before: NetworkState<Key>, after: NetworkState<Key>, sequence: bigint): void => {
    const place = diffSegments(before.places, after.places);
    const threshold = diffSegments(new Map([[0, before.thresholds]]), new Map([[0, after.thresholds]]));
    const feeder = diffSegments(before.feeders, after.feeders);
    const { places, thresholds, feeders, changes } = collected;
    for (const { key, segment } of place.write) places.push({ key, ...placeRow(network, segment, sequence) });
    for (const { key, validFromMs } of place.remove) places.push({ key, ...placeRow(network, validFromMs, sequence) });
    for (const { segment } of threshold.write) thresholds.push(thresholdRow(network, segment, sequence));
    for (const { validFromMs } of threshold.remove) thresholds.push(thresholdRow(network, validFromMs, sequence));
    feeders.push(...feederRows(network, before.feeders, after.feeders, sequence));
    const addChanges = (
      ranges: readonly Pick<StaleWindow, 'fromMs' | 'toMs'>[],
      of: Pick<StaleWindow, 'reason' | 'everything'>,
    ) => {
      for (const { fromMs, toMs } of ranges) changes.push({ network, fromMs, toMs, ...of });
    };
    addChanges(place.changed, { reason: 'registry', everything: false });
    addChanges(threshold.changed, { reason: 'registry', everything: true });
    addChanges(feeder.changed, { reason: 'feeders', everything: false });
  };

  return {
    registry,
    restore(event: LogItem): void {
      fold(event, readItem(event));
    },
    apply(event: LogItem, data: unknown): void {
      const affected = affectedPlaces(registry, event.type, data);
      if (!affected || !ownsNetwork(partition, affected.network)) {
        fold(event, data);
        return;
      }
      const { network, feeders } = affected;
      const keys = [...new Set(keysOf.affectedKeys(registry, affected))];
      const before = readState(network, keys, feeders);
      fold(event, data);
      collect(network, before, readState(network, keys, feeders), event.sequence);
    },
    get pendingRows(): number {
      return collected.places.length + collected.thresholds.length + collected.feeders.length;
    },
    takeChanges(): PlacementChanges<Key> {
      const taken = collected;
      collected = noChanges();
      return { ...taken, changes: joinWindows(taken.changes) };
    },
  };
};
