import { type coffee, derivedCoffee } from '@popsvc/read-models/tables';
import type { PlanStatement, TemporaryTable } from '../../engine/projection.ts';
import { rowVersion } from '../../engine/recompute.ts';
import { replaceDerivedRows, rowNumber, validFrom } from '../rows/derived-rows.sql.ts';

const recordedAt = 'if(a.detection_pos > p.pos, a.detected_recorded_at, p.recorded_at)';

const instants = (milliseconds: string) => `arrayMap(t -> fromUnixTimestamp64Milli(t, 'UTC'), ${milliseconds})`;

/**
 * `p` is a row of `placed_plays`, `a` of `audience` and `o` of `online_plays`. A LEFT JOIN without a match yields defaults, so an empty
 * `detection_id` means no audience.
 */
const values: Readonly<Record<keyof (typeof coffee)['fields'], string>> = {
  network_id: 'p.network_id',
  ts: 'p.played_at',
  number: rowNumber('p.network_id', 'p.vendor', 'p.event_id', 'a.detection_vendor', 'a.detection_id'),
  vendor: 'p.vendor',
  event_id: 'p.event_id',
  screen_id: 'p.screen_id',
  campaign_ref: 'p.campaign_ref',
  creative_ref: 'p.creative_ref',
  play_reason: 'p.play_reason',
  duration_ms: 'p.duration_ms',
  device_id: 'p.device_id',
  location_id: 'p.location_id',
  site_id: 'p.site_id',
  site_tz: 'p.site_tz',
  device_tz: 'p.device_tz',
  is_business_hour: 'p.is_business_hour',
  pop_type: `multiIf(a.detection_id != '', toString(a.population), o.event_id != '', 'NONE', 'UNMEASURED')`,
  detection_vendor: 'a.detection_vendor',
  detection_id: 'a.detection_id',
  feeder_id: 'a.feeder_id',
  watcher_id: 'a.watcher_id',
  reid: 'a.reid',
  detected_from: 'a.detected_from',
  detected_to: 'a.detected_to',
  gender: 'a.gender',
  age: 'a.age',
  age_category: 'a.age_category',
  mood: 'a.mood',
  distance: 'a.distance',
  watch_starts: instants('a.clipped_starts'),
  watch_ends: instants('a.clipped_ends'),
  presence_ms: 'toUInt64(a.presence_ms)',
  watch_ms: 'toUInt64(a.watch_ms)',
  is_impression: 'a.is_impression',
  is_watched: 'a.is_watched',
  is_glance: 'a.is_glance',
  is_view: 'a.is_view',
  is_view_through: 'a.is_view_through',
  play_pos: 'p.pos',
  detection_pos: 'a.detection_pos',
  recorded_at: recordedAt,
  valid_from: validFrom(recordedAt),
  projected_at: 'now64(3)',
  version: rowVersion,
  is_deleted: '0',
};

export const coffeeRows = (generation: number): readonly (TemporaryTable | PlanStatement)[] =>
  replaceDerivedRows({
    derived: derivedCoffee,
    generation,
    values,
    from: `placed_plays AS p
    LEFT JOIN audience AS a ON p.network_id = a.network_id AND p.vendor = a.vendor AND p.event_id = a.event_id
    LEFT JOIN online_plays AS o ON p.network_id = o.network_id AND p.vendor = o.vendor AND p.event_id = o.event_id`,
    replaces: { affected: 'affected_plays', ts: 'played_at', identity: ['network_id', 'vendor', 'event_id'] },
  });
