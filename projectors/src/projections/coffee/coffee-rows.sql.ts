import { coffee } from '@popsvc/read-models/tables';
import { projectedNumber, replacingRows } from '../rows/derived-rows.sql.ts';
import type { RecomputeReason } from '../../engine/projection.ts';

const instants = (milliseconds: string) => `arrayMap(t -> fromUnixTimestamp64Milli(t, 'UTC'), ${milliseconds})`;

/** Each column of the table and what it is made of, r = a resolved play, s = who was seen, o = plays a feeder was online at (both defaults where not). */
const values: Readonly<Record<keyof (typeof coffee)['fields'], string>> = {
  network_id: 'r.network_id',
  ts: 'r.played_at',
  number: projectedNumber('r.network_id', 'r.vendor', 'r.event_id', 's.detection_vendor', 's.detection_id'),
  vendor: 'r.vendor',
  event_id: 'r.event_id',
  screen_id: 'r.screen_id',
  campaign_ref: 'r.campaign_ref',
  creative_ref: 'r.creative_ref',
  play_reason: 'r.play_reason',
  duration_ms: 'r.duration_ms',
  device_id: 'r.device_id',
  location_id: 'r.location_id',
  site_id: 'r.site_id',
  site_tz: 'r.site_tz',
  device_tz: 'r.device_tz',
  is_business_hour: 'r.is_business_hour',
  pop_type: `multiIf(s.detection_id != '', toString(s.population), o.event_id != '', 'NONE', 'UNMEASURED')`,
  detection_vendor: 's.detection_vendor',
  detection_id: 's.detection_id',
  feeder_id: 's.feeder_id',
  watcher_id: 's.watcher_id',
  reid: 's.reid',
  detected_from: 's.detected_from',
  detected_to: 's.detected_to',
  gender: 's.gender',
  age: 's.age',
  age_category: 's.age_category',
  mood: 's.mood',
  distance: 's.distance',
  watch_starts: instants('s.look_starts'),
  watch_ends: instants('s.look_ends'),
  presence_ms: 'toUInt64(s.presence_ms)',
  watch_ms: 'toUInt64(s.watch_ms)',
  is_impression: 's.is_impression',
  is_watched: 's.is_watched',
  is_glance: 's.is_glance',
  is_view: 's.is_view',
  is_view_through: 's.is_view_through',
  play_pos: 'r.pos',
  detection_pos: 's.detection_pos',
  recorded_at: 'if(s.detection_pos > r.pos, s.detected_recorded_at, r.recorded_at)',
  projected_at: 'now64(3)',
  version: '2 * {upTo:UInt64} + 1',
  is_deleted: '0',
};

/** One row a play and person, or one a play nobody was seen at. */
export const coffeeRows = (generation: number, reason: RecomputeReason): string =>
  replacingRows({
    table: coffee,
    generation,
    values,
    from: `resolved AS r
    LEFT JOIN seen AS s ON r.network_id = s.network_id AND r.vendor = s.vendor AND r.event_id = s.event_id
    LEFT JOIN online AS o ON r.network_id = o.network_id AND r.vendor = o.vendor AND r.event_id = o.event_id`,
    ...(reason !== 'rebuild' && {
      affected: { keys: 'SELECT network_id, played_at FROM affected', identity: ['network_id', 'vendor', 'event_id'] },
    }),
  });
