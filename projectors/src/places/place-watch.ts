import type { ThresholdVersion } from '@popsvc/domain/audience';
import {
  diffSegments,
  emptyRegistry,
  type FeederSegment,
  foldRegistry,
  type PlaceSegment,
  type Registry,
  thresholdVersions,
} from '@popsvc/domain/registry';
import type { LogEvent } from '@popsvc/platform/event-store';
import { readEvent } from '../run/read-event.ts';
import { feederRows } from './feeder-rows.ts';
import { placeRow, type PlaceRow, thresholdRow, type ThresholdRow } from './place-row.ts';
import { touchedNetwork } from './touched-network.ts';

/** A stretch of a network's time in which places, thresholds or feeders changed. */
export interface Change {
  readonly network: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: 'registry' | 'feeders';
  /** Thresholds hold for the whole network, so everything in the stretch is computed again. */
  readonly everything: boolean;
}

export interface PlaceChanges<Key> {
  readonly places: readonly (PlaceRow & { readonly key: Key })[];
  readonly thresholds: readonly ThresholdRow[];
  readonly feeders: ReturnType<typeof feederRows>;
  readonly changes: readonly Change[];
}

interface Known<Key> {
  readonly places: ReadonlyMap<Key, readonly PlaceSegment[]>;
  readonly thresholds: readonly ThresholdVersion[];
  readonly feeders: ReadonlyMap<number, readonly FeederSegment[]>;
}

const nothing: Known<never> = { places: new Map<never, never>(), thresholds: [], feeders: new Map() };

const spanning = (
  network: number,
  ranges: readonly { fromMs: number; toMs: number }[],
  of: Pick<Change, 'reason' | 'everything'>,
): Change[] =>
  ranges.length === 0
    ? []
    : [
        {
          network,
          fromMs: ranges.reduce((least, { fromMs }) => Math.min(least, fromMs), Infinity),
          toMs: ranges.reduce((most, { toMs }) => Math.max(most, toMs), 0),
          ...of,
        },
      ];

type Places<Key, Held> = (registry: Registry, network: number) => ReadonlyMap<Key, readonly Held[]>;

/** The registry as a projection sees it: what it says of places, of feeders if asked, and what each batch of its events changed. */
export const placeWatch = <Key>(placesOf: Places<Key, PlaceSegment>, feedersOf?: Places<number, FeederSegment>) => {
  const registry = emptyRegistry();
  const before = new Map<number, Known<Key>>();

  const look = (network: number): Known<Key> => ({
    places: placesOf(registry, network),
    thresholds: thresholdVersions(registry, network),
    feeders: feedersOf?.(registry, network) ?? nothing.feeders,
  });

  const fold = ({ type, position, recordedAtMs }: LogEvent, data: unknown) => {
    foldRegistry(registry, { type, data, atMs: recordedAtMs, position });
  };

  return {
    registry,
    recall(event: LogEvent): void {
      fold(event, readEvent(event));
    },
    take(event: LogEvent, data: unknown): void {
      const network = touchedNetwork(registry, event.type, data, feedersOf !== undefined);
      const isNew = network !== undefined && !registry.entries.networks.has(String(network));
      if (network !== undefined && !before.has(network)) before.set(network, isNew ? nothing : look(network));
      fold(event, data);
    },
    /** What changed since the last call; versions say up to which position. */
    changes(upTo: bigint): PlaceChanges<Key> {
      const places: (PlaceRow & { key: Key })[] = [];
      const thresholds: ThresholdRow[] = [];
      const feeders: ReturnType<typeof feederRows> = [];
      const changes: Change[] = [];
      for (const [network, was] of before) {
        const is = look(network);
        const place = diffSegments(was.places, is.places);
        const feeder = diffSegments(was.feeders, is.feeders);
        const threshold = diffSegments(new Map([[0, was.thresholds]]), new Map([[0, is.thresholds]]));
        for (const { key, segment } of place.write) places.push({ key, ...placeRow(network, segment, upTo) });
        for (const { key, validFromMs } of place.remove) places.push({ key, ...placeRow(network, validFromMs, upTo) });
        for (const { segment } of threshold.write) thresholds.push(thresholdRow(network, segment, upTo));
        for (const { validFromMs } of threshold.remove) thresholds.push(thresholdRow(network, validFromMs, upTo));
        feeders.push(...feederRows(network, was.feeders, is.feeders, upTo));
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
