import { defaultThresholds } from '@popsvc/contracts/metrics';
import type { ThresholdVersion } from '@popsvc/domain/registry';
import type { FeederSegment, PlaceSegment } from '@popsvc/domain/registry';
import type { feederPlaces } from '@popsvc/read-models/tables';
import type { StaleWindow } from '../../engine/projection.ts';
import type { RowOf } from '../rows/fact-rows.ts';

const emptyPlace: Omit<PlaceSegment, 'validFromMs'> = {
  known: false,
  deviceId: 0,
  locationId: 0,
  siteId: 0,
  siteTz: '',
  deviceTz: '',
  opens: [],
  closes: [],
};

/** A row has a higher version than a tombstone of the same event, so the row wins if both have the same key. */
const versionColumns = (sequence: bigint, isDeleted: boolean) => ({
  version: 2n * sequence + (isDeleted ? 0n : 1n),
  is_deleted: isDeleted ? 1 : 0,
});

/**
 * Omits the key (screen id or device id). A number instead of a segment (ms since 1970) builds a tombstone for the segment that began then.
 */
export const placeRow = (network: number, segment: PlaceSegment | number, sequence: bigint) => {
  const isDeleted = typeof segment === 'number';
  const place = isDeleted ? { ...emptyPlace, validFromMs: segment } : segment;
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
    ...versionColumns(sequence, isDeleted),
  };
};
export type PlaceRow = ReturnType<typeof placeRow>;

/** A number instead of a version (ms since 1970) builds a tombstone for the version that began then. */
export const thresholdRow = (network: number, version: ThresholdVersion | number, sequence: bigint) => {
  const isDeleted = typeof version === 'number';
  const { validFromMs, definition, thresholds } = isDeleted
    ? { validFromMs: version, definition: 0, thresholds: defaultThresholds }
    : version;
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
    ...versionColumns(sequence, isDeleted),
  };
};
export type ThresholdRow = ReturnType<typeof thresholdRow>;

type SegmentsOfFeeder = ReadonlyMap<number, readonly FeederSegment[]>;
export type FeederRow = RowOf<typeof feederPlaces>;

/** A tombstone contains the former device of its segment. */
export const feederRows = (
  network: number,
  before: SegmentsOfFeeder,
  after: SegmentsOfFeeder,
  sequence: bigint,
): FeederRow[] => {
  const rows: FeederRow[] = [];
  const includes = (segments: readonly FeederSegment[], { validFromMs, deviceId }: FeederSegment) =>
    segments.some((segment) => segment.validFromMs === validFromMs && segment.deviceId === deviceId);
  for (const feeder of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(feeder) ?? [], after.get(feeder) ?? []];
    const add = (segments: readonly FeederSegment[], isDeleted: boolean) => {
      for (const { validFromMs, deviceId } of segments)
        rows.push({
          network_id: network,
          feeder_id: feeder,
          valid_from: validFromMs,
          device_id: deviceId,
          ...versionColumns(sequence, isDeleted),
        });
    };
    add(
      is.filter((segment) => !includes(was, segment)),
      false,
    );
    add(
      was.filter((segment) => !includes(is, segment)),
      true,
    );
  }
  return rows;
};

export const joinWindows = (windows: readonly StaleWindow[]): StaleWindow[] => {
  const joined = new Map<string, StaleWindow>();
  for (const window of windows) {
    const { network, reason, everything, fromMs, toMs } = window;
    const key = `${network} ${reason} ${everything}`;
    const known = joined.get(key);
    joined.set(
      key,
      known ? { ...known, fromMs: Math.min(known.fromMs, fromMs), toMs: Math.max(known.toMs, toMs) } : window,
    );
  }
  return [...joined.values()];
};
