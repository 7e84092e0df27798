import { PLAY_REASONS } from '@popsvc/contracts/vocabulary';
import { coffee, watcherSummary } from '../tables/index.ts';
import {
  as,
  column,
  defineAnalystView,
  dictionaryValue,
  ofAdvertised,
  ofLocalTime,
  ofNetwork,
  ofPlace,
  ofVendor,
  unseenText,
} from './analyst-view.ts';

const same = (field: keyof typeof coffee.fields) => `any(r.${field})`;

const isPerson = `r.detection_id != '' AND r.pop_type != 'VEHICLE'`;
const people = (about: string, where: string) =>
  column('UInt64', about, `uniqExactIf(r.watcher_id, ${isPerson}${where})`);
const secondsOfPeople = (about: string, milliseconds: string) =>
  column('Float64', about, `sumIf(r.${milliseconds}, ${isPerson}) / 1000`);

const businessHourAbout =
  '1 when the site was open at the start of the play, 0 when it was closed; null while the screen is not registered.';

export const plays = defineAnalystView({
  name: 'plays',
  about:
    'One row per play: count() counts plays; a play received twice is one row. People are counted per play: to count people over several plays, use the view audience. Plays with measured = 0 have no audience measurement: exclude them from rates.',
  from: (ownRows) => `${ownRows(coffee)} AS r`,
  groupBy: ['r.network_id', 'r.ts', 'r.vendor', 'r.event_id'],
  columns: {
    ...ofNetwork,
    ...ofVendor,
    vendor: { ...ofVendor.vendor, about: 'Code of the vendor that sent the play.' },
    event_id: as(coffee, 'event_id'),
    played_at: as(coffee, 'ts', 'r.ts', 'Start of the play (UTC); a filter on it makes queries fast.'),
    play_seconds: column('Float64', 'Length of the play, seconds.', `${same('duration_ms')} / 1000`),
    ...ofLocalTime('r.ts', same('site_tz')),
    business_hour: as(coffee, 'is_business_hour', same('is_business_hour'), businessHourAbout),
    screen: as(coffee, 'screen_id', same('screen_id')),
    ...ofPlace({ device: same('device_id'), location: same('location_id'), site: same('site_id') }),
    ...ofAdvertised({ campaign: same('campaign_ref'), creative: same('creative_ref') }),
    play_reason: column('String', `Why it was played: one of ${PLAY_REASONS.join(', ')}.`, same('play_reason')),
    measured: column(
      'UInt8',
      '1 when a feeder of the device was online or a person was detected; 0: no measurement (UNMEASURED).',
      `toUInt8(max(r.pop_type != 'UNMEASURED'))`,
    ),
    people: people('Different people in front of it, also without an impression; no vehicles.', ''),
    vehicles: column('UInt64', 'Different vehicles.', `uniqExactIf(r.watcher_id, r.pop_type = 'VEHICLE')`),
    impressions: people(
      'People with an impression: present long enough, or with a glance. These are contacts.',
      ' AND r.is_impression = 1',
    ),
    watched: people('People who looked at all.', ' AND r.is_watched = 1'),
    glances: people('People with a glance.', ' AND r.is_glance = 1'),
    views: people('People with a view.', ' AND r.is_view = 1'),
    view_throughs: people('People who viewed it to the end.', ' AND r.is_view_through = 1'),
    presence_seconds: secondsOfPeople('Presence of all people together, seconds.', 'presence_ms'),
    watch_seconds: secondsOfPeople('Watching of all people together, seconds.', 'watch_ms'),
  },
});

const populationAbout =
  'VIEWER (a person, the default), FOOTFALL (a passer-by) or VEHICLE, as the vendor classifies it; leave VEHICLE out to count people.';
const watcherAbout =
  'Number under which the vendor of the detection follows a person or vehicle. A person who returns, or who is at another device, may have another number or the same one: never count people by it.';

const secondsOfRow = (about: string, milliseconds: string) => column('Float64', about, `r.${milliseconds} / 1000`);

export const audience = defineAnalystView({
  name: 'audience',
  about:
    'One row per play and detection. A play without a detected person has no row: count plays in the view plays, or here by uniqExact((vendor, event_id)). One person may have several rows, also for one play: count contacts by uniqExact((vendor, event_id, watcher_id)) with impression = 1, of one detection_vendor if two measure a device, and viewing sessions by uniqExact((detection_vendor, device_id, watcher_id)). Leave out the population VEHICLE to count persons.',
  from: (ownRows) => `(SELECT * FROM ${ownRows(coffee)} WHERE detection_id != '') AS r`,
  columns: {
    ...ofNetwork,
    ...ofVendor,
    vendor: {
      ...ofVendor.vendor,
      about: 'Code of the vendor that sent the play; that of the detection may be another.',
    },
    detection_vendor: {
      ...ofVendor.vendor,
      about: 'Code of the vendor that sent the detection.',
      sql: unseenText('r.detection_vendor'),
    },
    event_id: as(coffee, 'event_id'),
    played_at: as(coffee, 'ts', 'r.ts', 'Start of the play (UTC); a filter on it makes queries fast.'),
    play_seconds: column('Float64', 'Length of the play, seconds.', 'r.duration_ms / 1000'),
    ...ofLocalTime('r.ts', 'r.site_tz'),
    business_hour: as(coffee, 'is_business_hour', 'r.is_business_hour', businessHourAbout),
    screen: as(coffee, 'screen_id'),
    ...ofPlace({ device: 'r.device_id', location: 'r.location_id', site: 'r.site_id' }),
    ...ofAdvertised({ campaign: 'r.campaign_ref', creative: 'r.creative_ref' }),
    population: as(coffee, 'pop_type', 'r.pop_type', populationAbout),
    detection_id: as(coffee, 'detection_id', 'r.detection_id', "The vendor's id of the detection."),
    watcher_id: as(coffee, 'watcher_id', 'r.watcher_id', watcherAbout),
    gender: as(coffee, 'gender'),
    age_category: as(coffee, 'age_category'),
    mood: as(coffee, 'mood'),
    detected_from: as(coffee, 'detected_from'),
    detected_to: as(coffee, 'detected_to'),
    presence_seconds: secondsOfRow('Presence during the play, seconds.', 'presence_ms'),
    watch_seconds: secondsOfRow('Watching during the play, seconds.', 'watch_ms'),
    impression: as(coffee, 'is_impression', 'r.is_impression', '1 where it was an impression; see viewing_thresholds.'),
    watched: as(coffee, 'is_watched', 'r.is_watched', '1 where the person looked at all.'),
    glance: as(coffee, 'is_glance', 'r.is_glance', '1 where it was a glance.'),
    view: as(coffee, 'is_view', 'r.is_view', '1 where it was a view.'),
    view_through: as(coffee, 'is_view_through', 'r.is_view_through', '1 where it was viewed to the end.'),
  },
});

const camera = `if(r.camera_id > 0, r.camera_id, ifNull(${dictionaryValue('feeders', 'only_camera_id', 'r.feeder_id')}, 0))`;

export const watchers = defineAnalystView({
  name: 'watchers',
  about:
    'One row per detection of a person or vehicle in front of a device, with or without a play: duration and watch time. Detections that the vendor withdrew have no row. A person may be detected several times: count viewing sessions by uniqExact((vendor, device_id, watcher_id)).',
  // A withdrawn detection ends at its start.
  from: (ownRows) => `${ownRows(watcherSummary)} AS r WHERE r.detection_ms > 0`,
  columns: {
    ...ofNetwork,
    ...ofVendor,
    vendor: {
      ...ofVendor.vendor,
      about: 'Code of the vendor that sent the detection; in audience, it is detection_vendor.',
    },
    detection_id: as(watcherSummary, 'detection_id'),
    seen_at: as(watcherSummary, 'ts', 'r.ts', 'Start of the detection (UTC); a filter on it makes queries fast.'),
    ...ofLocalTime('r.ts', 'r.site_tz'),
    ...ofPlace({ device: 'r.device_id', location: 'r.location_id', site: 'r.site_id' }),
    camera_id: column('Nullable(UInt64)', 'Camera; null while unknown.', `nullIf(${camera}, 0)`),
    camera: column('Nullable(String)', 'Current name of the camera.', dictionaryValue('cameras', 'name', camera)),
    population: as(watcherSummary, 'population', 'r.population', populationAbout),
    watcher_id: as(watcherSummary, 'watcher_id', 'r.watcher_id', watcherAbout),
    gender: as(watcherSummary, 'gender'),
    age_category: as(watcherSummary, 'age_category'),
    mood: as(watcherSummary, 'mood'),
    dwell_seconds: column('Float64', 'Length of the detection, seconds.', 'r.detection_ms / 1000'),
    watch_seconds: column('Float64', 'Watching, seconds.', 'r.watch_ms / 1000'),
    looked: as(watcherSummary, 'is_watcher'),
  },
});
