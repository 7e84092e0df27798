import { coffee } from '../tables/index.ts';
import { ofAdvertised, ofLocalTime, ofNetwork, ofPlace, ofVendor } from './columns.ts';
import { as, column, defineAnalystView, ownRows } from './define-analyst-view.ts';

/** Of all rows of a play, one for each person, these are the same. */
const same = (field: keyof typeof coffee.fields) => `any(r.${field})`;

const isPerson = `r.detection_id != '' AND r.pop_type != 'VEHICLE'`;
const people = (about: string, where: string) =>
  column('UInt64', about, `uniqExactIf(r.watcher_id, ${isPerson}${where})`);
const seconds = (about: string, milliseconds: string) =>
  column('Float64', about, `sumIf(r.${milliseconds}, ${isPerson}) / 1000`);

export const plays = defineAnalystView({
  name: 'plays',
  about:
    'One row a play, whoever was there: count() counts plays. A play told twice is one row. People are counted within the play: a person who saw two plays counts at both, so for people over several plays use the view audience. Plays with measured = 0 say nothing of people: leave them out of rates.',
  from: `${ownRows(coffee)} AS r`,
  groupBy: ['r.network_id', 'r.ts', 'r.vendor', 'r.event_id'],
  columns: {
    ...ofNetwork,
    ...ofVendor,
    event_id: as(coffee, 'event_id'),
    played_at: as(coffee, 'ts', 'r.ts', 'Start of the play (UTC); ask for a stretch of it, that is quick.'),
    play_seconds: column('Float64', 'Length of the play, seconds.', `${same('duration_ms')} / 1000`),
    ...ofLocalTime('r.ts', same('site_tz')),
    business_hour: as(coffee, 'is_business_hour', same('is_business_hour')),
    screen: as(coffee, 'screen_id', same('screen_id')),
    ...ofPlace({ device: same('device_id'), location: same('location_id'), site: same('site_id') }),
    ...ofAdvertised({ campaign: same('campaign_ref'), creative: same('creative_ref') }),
    play_reason: column('String', 'Why it was played: scheduled, triggered, …', same('play_reason')),
    measured: column(
      'UInt8',
      '1 where a feeder of the device was online or somebody was seen; 0: nobody knows who was there (UNMEASURED).',
      `toUInt8(max(r.pop_type != 'UNMEASURED'))`,
    ),
    people: people('Different people in front of it.', ''),
    vehicles: column('UInt64', 'Different vehicles.', `uniqExactIf(r.watcher_id, r.pop_type = 'VEHICLE')`),
    impressions: people('People who were there long enough for an impression.', ' AND r.is_impression = 1'),
    watched: people('People who looked at all.', ' AND r.is_watched = 1'),
    glances: people('People with a glance.', ' AND r.is_glance = 1'),
    views: people('People with a view.', ' AND r.is_view = 1'),
    view_throughs: people('People who viewed it to the end.', ' AND r.is_view_through = 1'),
    presence_seconds: seconds('Presence of all people together, seconds.', 'presence_ms'),
    watch_seconds: seconds('Watching of all people together, seconds.', 'watch_ms'),
  },
});
