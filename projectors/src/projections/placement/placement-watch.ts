import type { ThresholdVersion } from '@popsvc/domain/audience';
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
import type { LogEvent } from '@popsvc/platform/event-store';
import type { StaleWindow, StateReload } from '../../engine/projection.ts';
import { readEvent } from '../../engine/read-event.ts';
import {
  feederRows,
  type PlaceChanges,
  placeRow,
  type PlaceRow,
  spanning,
  thresholdRow,
  type ThresholdRow,
} from './placement-changes.ts';

type Segments<Key, Held> = ReadonlyMap<Key, readonly Held[]>;

/** What was held of the keys that were looked at; of a key that was not there, nothing. */
interface Looked<Key, Held> {
  readonly keys: Set<Key>;
  readonly held: Map<Key, readonly Held[]>;
}

/** A network as it was before the first event of a batch that touched it, as far as the batch touches it. */
interface Before<Key> {
  readonly thresholds: readonly ThresholdVersion[];
  readonly places: Looked<Key, PlaceSegment>;
  readonly feeders: Looked<number, FeederSegment>;
}

const emptyBefore = <Key>(thresholds: readonly ThresholdVersion[]): Before<Key> => ({
  thresholds,
  places: { keys: new Set(), held: new Map() },
  feeders: { keys: new Set(), held: new Map() },
});

/** Looks at the keys that were not looked at yet: only the first look is one from before the batch. */
const remember = <Key, Held extends Segment>(
  { keys, held }: Looked<Key, Held>,
  touched: Iterable<Key>,
  look: (only: Iterable<Key>) => Segments<Key, Held>,
): void => {
  const fresh = [...touched].filter((key) => !keys.has(key));
  if (fresh.length === 0) return;
  const found = look(fresh);
  for (const key of fresh) {
    keys.add(key);
    const segments = found.get(key);
    if (segments) held.set(key, segments);
  }
};

/** Places as a projection keeps them: by screen, or by device. */
interface WatchedPlaces<Key> {
  /** The keys whose places an event may change, asked before it is folded. */
  readonly touched: (registry: Registry, touched: AffectedPlaces) => Iterable<Key>;
  readonly places: (
    registry: Registry,
    network: number,
    only: Iterable<Key>,
  ) => ReadonlyMap<Key, readonly PlaceSegment[]>;
}

/** The key '' is the network, which answers for every screen that is not known: it is always compared with. */
export const watchedScreens: WatchedPlaces<string> = {
  touched: ({ devicesOfScreen }, { network, devices }) => [
    '',
    ...(devices === 'all' ? (devicesOfScreen.get(network)?.keys() ?? []) : devices.flatMap(({ screens }) => screens)),
  ],
  places: screenPlaces,
};

export const watchedDevices: WatchedPlaces<number> = {
  touched: ({ devicesOfNetwork }, { network, devices }) =>
    devices === 'all'
      ? (devicesOfNetwork.get(network) ?? []).map(({ first }) => first.entity.id)
      : devices.map(({ id }) => id),
  places: devicePlaces,
};

/** Feeders, where somebody asks for them. */
type FeedersOf = (registry: Registry, network: number, only: Iterable<number>) => Segments<number, FeederSegment>;

/**
 * The registry as a projection sees it: what it says of places, of feeders if asked, and what each batch of its events changed.
 * Only what an event touches is looked at, before it and after the batch, so that a change costs what it changes.
 */
export const placeWatch = <Key>(watched: WatchedPlaces<Key>, feedersOf?: FeedersOf) => {
  const registry = emptyRegistry();
  const before = new Map<number, Before<Key>>();

  const look = (network: number, keys: Iterable<Key>, feeders: readonly number[]): void => {
    const isNew = !registry.entries.networks.has(String(network));
    const known = before.get(network) ?? emptyBefore(isNew ? [] : thresholdVersions(registry, network));
    before.set(network, known);
    // Of a network that is new nothing was said before, not even what holds for screens that nobody knows.
    remember(known.places, keys, (only) => (isNew ? new Map<Key, never>() : watched.places(registry, network, only)));
    if (feedersOf) remember(known.feeders, feeders, (only) => feedersOf(registry, network, only));
  };

  const foldInto = (
    into: Registry,
    { type, position, recordedAtMs }: LogEvent,
    data: unknown,
    knownFrom = position,
  ) => {
    foldRegistry(into, { type, data, atMs: recordedAtMs, position, knownFrom });
  };

  /** Everything that either of two registries knows, as the one in use has it. */
  const lookAtAll = (other: Registry): void => {
    const both = [registry, other];
    for (const network of new Set(both.flatMap(({ entries }) => [...entries.networks.keys()].map(Number)))) {
      const all: AffectedPlaces = { network, devices: 'all', feeders: [] };
      const keys = both.flatMap((each) => [...watched.touched(each, all)]);
      const feeders = both.flatMap(({ feedersOfNetwork }) => feedersOfNetwork.get(network) ?? []);
      look(network, new Set(keys), [...new Set(feeders.map(({ first }) => first.entity.id))]);
    }
  };

  return {
    registry,
    recall(event: LogEvent): void {
      foldInto(registry, event, readEvent(event));
    },
    /** What is other by it than it was shows in the changes of the batch. */
    relearn(): StateReload {
      const again = emptyRegistry();
      return {
        restore: (event, knownFrom) => foldInto(again, event, readEvent(event), knownFrom),
        adopt() {
          lookAtAll(again);
          Object.assign(registry, again);
        },
      };
    },
    take(event: LogEvent, data: unknown): void {
      const touched = affectedPlaces(registry, event.type, data);
      if (touched) look(touched.network, watched.touched(registry, touched), touched.feeders);
      foldInto(registry, event, data);
    },
    /** What changed since the last call; versions say up to which position. */
    changes(upTo: bigint): PlaceChanges<Key> {
      const places: (PlaceRow & { key: Key })[] = [];
      const thresholds: ThresholdRow[] = [];
      const feeders: ReturnType<typeof feederRows> = [];
      const changes: StaleWindow[] = [];
      for (const [network, was] of before) {
        const nowFeeders = feedersOf?.(registry, network, was.feeders.keys) ?? new Map<never, never>();
        const place = diffSegments(was.places.held, watched.places(registry, network, was.places.keys));
        const feeder = diffSegments(was.feeders.held, nowFeeders);
        const threshold = diffSegments(
          new Map([[0, was.thresholds]]),
          new Map([[0, thresholdVersions(registry, network)]]),
        );
        for (const { key, segment } of place.write) places.push({ key, ...placeRow(network, segment, upTo) });
        for (const { key, validFromMs } of place.remove) places.push({ key, ...placeRow(network, validFromMs, upTo) });
        for (const { segment } of threshold.write) thresholds.push(thresholdRow(network, segment, upTo));
        for (const { validFromMs } of threshold.remove) thresholds.push(thresholdRow(network, validFromMs, upTo));
        feeders.push(...feederRows(network, was.feeders.held, nowFeeders, upTo));
        changes.push(
          ...spanning(network, place.changed, { reason: 'registry', everything: false }),
          ...spanning(network, threshold.changed, { reason: 'registry', everything: true }),
          ...spanning(network, feeder.changed, { reason: 'feeders', everything: false }),
        );
      }
      before.clear();
      return { places, thresholds, feeders, changes };
    },
  };
};
