import { defaultThresholds } from '@popsvc/contracts/metrics';
import type { ThresholdVersion } from '@popsvc/domain/audience';
import type { PlaceSegment } from '@popsvc/domain/registry';

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

export const versionOf = (upTo: bigint, alive: boolean) => ({
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
