import {
  diffSegments,
  emptyRegistry,
  type FeederSegment,
  foldRegistry,
  type Registry,
  thresholdVersions,
  type AffectedPlaces,
  affectedPlaces,
} from '@popsvc/domain/registry';
import type { LogEvent } from '@popsvc/platform/event-store';
import type { Relearning } from '../../engine/projection.ts';
import { readEvent } from '../../engine/read-event.ts';
import { type Before, emptyBefore, remember, type Segments } from './before.ts';
import { feederRows } from './feeder-rows.ts';
import type { PlacementChange } from '../../engine/recipe.ts';
import { type PlaceChanges, spanning } from './place-changes.ts';
import { placeRow, type PlaceRow, thresholdRow, type ThresholdRow } from './place-row.ts';
import type { WatchedPlaces } from './watched-places.ts';

/** Feeders, where somebody asks for them. */
export type FeedersOf = (
  registry: Registry,
  network: number,
  only: Iterable<number>,
) => Segments<number, FeederSegment>;

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
    relearn(): Relearning {
      const again = emptyRegistry();
      return {
        recall: (event, knownFrom) => foldInto(again, event, readEvent(event), knownFrom),
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
      const changes: PlacementChange[] = [];
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
