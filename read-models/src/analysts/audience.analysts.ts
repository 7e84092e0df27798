import { coffee } from '../tables/index.ts';
import { ofAdvertised, ofLocalTime, ofNetwork, ofPlace, ofVendor } from './columns.ts';
import { as, column, defineAnalystView, ownRows } from './define-analyst-view.ts';

const seconds = (about: string, milliseconds: string) => column('Float64', about, `r.${milliseconds} / 1000`);

export const audience = defineAnalystView({
  name: 'audience',
  about:
    'One row a play and detection: somebody was in front of a play. A play has as many rows as people were seen at it, and none when nobody was: count plays in the view plays, or here by uniqExact((vendor, event_id)). People are counted by uniqExact(watcher_id), for one person may have several rows, also at one play.',
  from: `(SELECT * FROM ${ownRows(coffee)} WHERE detection_id != '') AS r`,
  columns: {
    ...ofNetwork,
    ...ofVendor,
    event_id: as(coffee, 'event_id'),
    played_at: as(coffee, 'ts', 'r.ts', 'Start of the play (UTC); ask for a stretch of it, that is quick.'),
    play_seconds: column('Float64', 'Length of the play, seconds.', 'r.duration_ms / 1000'),
    ...ofLocalTime('r.ts', 'r.site_tz'),
    business_hour: as(coffee, 'is_business_hour'),
    screen: as(coffee, 'screen_id'),
    ...ofPlace({ device: 'r.device_id', location: 'r.location_id', site: 'r.site_id' }),
    ...ofAdvertised({ campaign: 'r.campaign_ref', creative: 'r.creative_ref' }),
    population: as(coffee, 'pop_type', 'r.pop_type', 'VIEWER, FOOTFALL or VEHICLE; leave VEHICLE out to count people.'),
    detection_id: as(coffee, 'detection_id', 'r.detection_id', "The vendor's id of the detection."),
    watcher_id: as(coffee, 'watcher_id', 'r.watcher_id', 'Person as the vendor numbers it: count people by it.'),
    gender: as(coffee, 'gender'),
    age_category: as(coffee, 'age_category'),
    mood: as(coffee, 'mood'),
    detected_from: as(coffee, 'detected_from'),
    detected_to: as(coffee, 'detected_to'),
    presence_seconds: seconds('Presence during the play, seconds.', 'presence_ms'),
    watch_seconds: seconds('Watching during the play, seconds.', 'watch_ms'),
    impression: as(coffee, 'is_impression', 'r.is_impression', '1 where it was an impression.'),
    watched: as(coffee, 'is_watched', 'r.is_watched', '1 where the person looked at all.'),
    glance: as(coffee, 'is_glance', 'r.is_glance', '1 where it was a glance.'),
    view: as(coffee, 'is_view', 'r.is_view', '1 where it was a view.'),
    view_through: as(coffee, 'is_view_through', 'r.is_view_through', '1 where it was viewed to the end.'),
  },
});
