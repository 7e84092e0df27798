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
  type Segment,
  thresholdVersions,
} from '@popsvc/domain/registry';
import { type LogItem, readItem } from '../../engine/log-items.ts';
import type { StaleWindow } from '../../engine/projection.ts';
import {
  coveringWindow,
  type FeederRow,
  feederRows,
  placeRow,
  type PlaceRow,
  thresholdRow,
  type ThresholdRow,
} from './placement-changes.ts';

type SegmentsByKey<Key, Held> = ReadonlyMap<Key, readonly Held[]>;

/** How a projection looks up placements: by screen or by device. */
interface PlacementKeys<Key> {
  /** Returns the keys whose placement an event may change; called before the event is folded. */
  readonly affectedKeys: (registry: Registry, affected: AffectedPlaces) => Iterable<Key>;
  readonly places: (registry: Registry, network: number, keys: Iterable<Key>) => SegmentsByKey<Key, PlaceSegment>;
}

/** Placement by screen. The key '' means all unknown screens of a network; any registry event may change their placement. */
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

/** The segments that a set of keys had before the batch. A key that had no segments is only in `keys`. */
interface SegmentSnapshot<Key, Held> {
  readonly keys: Set<Key>;
  readonly segments: Map<Key, readonly Held[]>;
}

/** The state of a network before the batch, limited to the keys that events of the batch affect. */
interface NetworkSnapshot<Key> {
  readonly thresholds: readonly ThresholdVersion[];
  readonly places: SegmentSnapshot<Key, PlaceSegment>;
  readonly feeders: SegmentSnapshot<number, FeederSegment>;
}

const emptySnapshot = <Key>(thresholds: readonly ThresholdVersion[]): NetworkSnapshot<Key> => ({
  thresholds,
  places: { keys: new Set(), segments: new Map() },
  feeders: { keys: new Set(), segments: new Map() },
});

/**
 * Adds keys to a snapshot. Keys that are already in the snapshot keep their segments, because segments that are read later may
 * include changes made by the batch.
 */
const addToSnapshot = <Key, Held extends Segment>(
  { keys, segments }: SegmentSnapshot<Key, Held>,
  affected: Iterable<Key>,
  readSegments: (keys: Iterable<Key>) => SegmentsByKey<Key, Held>,
): void => {
  const newKeys = [...affected].filter((key) => !keys.has(key));
  if (newKeys.length === 0) return;
  const found = readSegments(newKeys);
  for (const key of newKeys) {
    keys.add(key);
    const held = found.get(key);
    if (held) segments.set(key, held);
  }
};

type ReadFeeders = (
  registry: Registry,
  network: number,
  feeders: Iterable<number>,
) => SegmentsByKey<number, FeederSegment>;

/** Changes made by a batch of registry events: rows to write, and time windows whose derived rows must be recomputed. */
export interface PlacementChanges<Key> {
  readonly places: readonly (PlaceRow & { readonly key: Key })[];
  readonly thresholds: readonly ThresholdRow[];
  readonly feeders: readonly FeederRow[];
  readonly changes: readonly StaleWindow[];
}

/**
 * Maintains a fold's registry. For each batch, finds the placements and thresholds that changed and, with `readFeeders`, the
 * feeders that changed. Compares only the keys that the batch's events affect, so the cost is independent of the registry's size. The
 * registry contains all networks, the changes only those of the partition.
 */
export const createPlacementWatch = <Key>(
  keysOf: PlacementKeys<Key>,
  partition: Partition,
  readFeeders?: ReadFeeders,
) => {
  const registry = emptyRegistry();
  const snapshots = new Map<number, NetworkSnapshot<Key>>();

  const snapshotBefore = (network: number, keys: Iterable<Key>, feeders: readonly number[]): void => {
    if (!ownsNetwork(partition, network)) return;
    const isNew = !registry.entries.networks.has(String(network));
    const snapshot = snapshots.get(network) ?? emptySnapshot(isNew ? [] : thresholdVersions(registry, network));
    snapshots.set(network, snapshot);
    // A new network had no placement before the batch, not even the row for unknown screens.
    addToSnapshot(snapshot.places, keys, (newKeys) =>
      isNew ? new Map<Key, never>() : keysOf.places(registry, network, newKeys),
    );
    if (readFeeders)
      addToSnapshot(snapshot.feeders, feeders, (newFeeders) => readFeeders(registry, network, newFeeders));
  };

  const fold = ({ type, sequence, recordedAtMs }: LogItem, data: unknown) => {
    foldRegistry(registry, { type, data, atMs: recordedAtMs, position: sequence });
  };

  return {
    registry,
    restore(event: LogItem): void {
      fold(event, readItem(event));
    },
    apply(event: LogItem, data: unknown): void {
      const affected = affectedPlaces(registry, event.type, data);
      if (affected) snapshotBefore(affected.network, keysOf.affectedKeys(registry, affected), affected.feeders);
      fold(event, data);
    },
    /** Returns the changes since the last call. `upTo` is the batch's last sequence. Row versions are computed from it. */
    takeChanges(upTo: bigint): PlacementChanges<Key> {
      const places: (PlaceRow & { key: Key })[] = [];
      const thresholds: ThresholdRow[] = [];
      const feeders: FeederRow[] = [];
      const changes: StaleWindow[] = [];
      for (const [network, before] of snapshots) {
        const feedersAfter = readFeeders?.(registry, network, before.feeders.keys) ?? new Map<never, never>();
        const place = diffSegments(before.places.segments, keysOf.places(registry, network, before.places.keys));
        const feeder = diffSegments(before.feeders.segments, feedersAfter);
        const threshold = diffSegments(
          new Map([[0, before.thresholds]]),
          new Map([[0, thresholdVersions(registry, network)]]),
        );
        for (const { key, segment } of place.write) places.push({ key, ...placeRow(network, segment, upTo) });
        for (const { key, validFromMs } of place.remove) places.push({ key, ...placeRow(network, validFromMs, upTo) });
        for (const { segment } of threshold.write) thresholds.push(thresholdRow(network, segment, upTo));
        for (const { validFromMs } of threshold.remove) thresholds.push(thresholdRow(network, validFromMs, upTo));
        feeders.push(...feederRows(network, before.feeders.segments, feedersAfter, upTo));
        changes.push(
          ...coveringWindow(network, place.changed, { reason: 'registry', everything: false }),
          ...coveringWindow(network, threshold.changed, { reason: 'registry', everything: true }),
          ...coveringWindow(network, feeder.changed, { reason: 'feeders', everything: false }),
        );
      }
      snapshots.clear();
      return { places, thresholds, feeders, changes };
    },
  };
};
