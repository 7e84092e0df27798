import { defaultThresholds } from '@popsvc/contracts/metrics';
import type { ThresholdVersion } from '@popsvc/domain/audience';
import type { FeederSegment, PlaceSegment } from '@popsvc/domain/registry';
import type { feederPlaces } from '@popsvc/read-models/tables';
import type { StaleWindow } from '../../engine/projection.ts';

const gone: Omit<PlaceSegment, 'validFromMs'> = {
  known: false,
  deviceId: 0,
  locationId: 0,
  siteId: 0,
  siteTz: '',
  deviceTz: '',
  opens: [],
  closes: [],
};

const versionOf = (upTo: bigint, alive: boolean) => ({
  version: 2n * upTo + (alive ? 1n : 0n),
  is_deleted: alive ? 0 : 1,
});

/** A row of a place table; given only the beginning, the row that removes it. */
export const placeRow = (network: number, segment: PlaceSegment | number, upTo: bigint) => {
  const alive = typeof segment !== 'number';
  const place = alive ? segment : { ...gone, validFromMs: segment };
  return {
    network_id: network,
    valid_from: place.validFromMs,
    device_id: place.deviceId,
    location_id: place.locationId,
    site_id: place.siteId,
    site_tz: place.siteTz,
    device_tz: place.deviceTz,
    opens: place.opens,
    closes: place.closes,
    known: place.known ? 1 : 0,
    ...versionOf(upTo, alive),
  };
};
export type PlaceRow = ReturnType<typeof placeRow>;

/** A row of a threshold table; given only the beginning, the row that removes it. */
export const thresholdRow = (network: number, held: ThresholdVersion | number, upTo: bigint) => {
  const alive = typeof held !== 'number';
  const { validFromMs, definition, thresholds } = alive
    ? held
    : { validFromMs: held, definition: 0, thresholds: defaultThresholds };
  return {
    network_id: network,
    valid_from: validFromMs,
    definition,
    min_presence_ms: thresholds.min_presence_ms,
    merge_gap_ms: thresholds.merge_gap_ms,
    impression_ms: thresholds.impression_ms,
    glance_ms: thresholds.glance_ms,
    view_ms: thresholds.view_ms,
    view_through_slack_ms: thresholds.view_through_slack_ms,
    view_through_permille: Math.round(thresholds.view_through_share * 1000),
    ...versionOf(upTo, alive),
  };
};
export type ThresholdRow = ReturnType<typeof thresholdRow>;

type Segments = ReadonlyMap<number, readonly FeederSegment[]>;
type FeederRow = Record<keyof (typeof feederPlaces)['fields'], unknown>;

/** Rows for the segments that are new or name another device, and tombstones under those that are no more. */
export const feederRows = (network: number, was: Segments, is: Segments, upTo: bigint): FeederRow[] => {
  const rows: FeederRow[] = [];
  for (const feeder of new Set([...was.keys(), ...is.keys()])) {
    const [before, after] = [was.get(feeder) ?? [], is.get(feeder) ?? []];
    const holds = (segments: readonly FeederSegment[], { validFromMs, deviceId }: FeederSegment) =>
      segments.some((segment) => segment.validFromMs === validFromMs && segment.deviceId === deviceId);
    const add = (segments: readonly FeederSegment[], alive: boolean) => {
      for (const { validFromMs, deviceId } of segments)
        rows.push({
          network_id: network,
          feeder_id: feeder,
          valid_from: validFromMs,
          device_id: deviceId,
          ...versionOf(upTo, alive),
        });
    };
    add(
      after.filter((segment) => !holds(before, segment)),
      true,
    );
    add(
      before.filter((segment) => !holds(after, segment)),
      false,
    );
  }
  return rows;
};

export interface PlaceChanges<Key> {
  readonly places: readonly (PlaceRow & { readonly key: Key })[];
  readonly thresholds: readonly ThresholdRow[];
  readonly feeders: ReturnType<typeof feederRows>;
  readonly changes: readonly StaleWindow[];
}

/** One stretch over several ranges; none where there are none. */
export const spanning = (
  network: number,
  ranges: readonly { fromMs: number; toMs: number }[],
  of: Pick<StaleWindow, 'reason' | 'everything'>,
): StaleWindow[] =>
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
