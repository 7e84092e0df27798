import { heartbeats as beats, effectiveOutages, vendorBalance } from '../tables/index.ts';
import {
  type AnalystColumn,
  as,
  column,
  defineAnalystView,
  dictionaryValue,
  ofNetwork,
  ofPlace,
  ofVendor,
  ownRows,
  unseenNumber,
  unseenText,
} from './analyst-view.ts';

const deviceOfFeeder = (feeder: string) => `ifNull(${dictionaryValue('feeders', 'device_id', feeder)}, 0)`;
const locationOf = (device: string) => `ifNull(${dictionaryValue('devices', 'location_id', device)}, 0)`;
const siteOf = (location: string) => `ifNull(${dictionaryValue('locations', 'site_id', location)}, 0)`;

/** Where a device stands now. */
const placeOf = (device: string) => {
  const location = locationOf(device);
  return ofPlace({ device, location, site: siteOf(location) });
};

const ofOutage = `if(r.kind = 'feeder', ${deviceOfFeeder('r.id')}, r.id)`;
const told = (field: keyof typeof effectiveOutages.fields): AnalystColumn => ({
  ...effectiveOutages.fields[field],
  sql: `r.${field}`,
});

export const outages = defineAnalystView({
  name: 'outages',
  about:
    'One row a stretch in which a device or feeder was offline, without the times for which heartbeats were backfilled. An outage of a device and one of its feeder are two rows: choose a kind before adding seconds up.',
  from: `${ownRows(effectiveOutages)} AS r`,
  columns: {
    ...ofNetwork,
    kind: { ...told('kind'), sql: unseenText('r.kind') },
    feeder_id: column(
      'Nullable(UInt64)',
      'Feeder; null where a device was offline.',
      `if(r.kind = 'feeder', r.id, NULL)`,
    ),
    feeder: column(
      'Nullable(String)',
      'Feeder as it is called now.',
      `if(r.kind = 'feeder', ${dictionaryValue('feeders', 'name', 'r.id')}, NULL)`,
    ),
    ...placeOf(ofOutage),
    offline_at: told('offline_at'),
    online_at: told('online_at'),
    seconds: told('seconds'),
    backfilled: told('backfilled'),
  },
});

const heard = `if(r.feeder_id > 0, ${deviceOfFeeder('r.feeder_id')}, r.device_id)`;

export const heartbeats = defineAnalystView({
  name: 'heartbeats',
  about:
    'One row an hour (UTC) in which a device, an app on it or a feeder was heard, with how often and in how many of its minutes. Hours without a heartbeat have no row. A device and its apps are told apart by kind: choose one before adding up.',
  from: `${ownRows(beats)} AS r`,
  groupBy: ['r.network_id', "toStartOfHour(r.at, 'UTC')", 'r.device_id', 'r.feeder_id', 'r.app'],
  columns: {
    ...ofNetwork,
    hour: column(
      "DateTime('UTC')",
      'The hour (UTC); ask for a stretch of it, that is quick.',
      "toStartOfHour(r.at, 'UTC')",
    ),
    kind: column(
      'String',
      'device, app or feeder.',
      `multiIf(r.feeder_id > 0, 'feeder', r.app != '', 'app', 'device')`,
    ),
    feeder_id: column(
      'Nullable(UInt64)',
      'Feeder that was heard, else null.',
      `nullIf(${unseenNumber('r.feeder_id')}, 0)`,
    ),
    feeder: column(
      'Nullable(String)',
      'Feeder as it is called now.',
      dictionaryValue('feeders', 'name', 'r.feeder_id'),
    ),
    app: as(beats, 'app', unseenText('r.app')),
    ...placeOf(heard),
    heartbeat_count: column('UInt64', 'Heartbeats.', 'uniqExact(r.at)'),
    minutes_with_heartbeats: column(
      'UInt64',
      'Minutes of the hour in which it was heard, 0 to 60.',
      "uniqExact(toStartOfMinute(r.at, 'UTC'))",
    ),
  },
});

const counted = (field: keyof typeof vendorBalance.fields): AnalystColumn => ({
  ...vendorBalance.fields[field],
  sql: `r.${field}`,
});

export const balance = defineAnalystView({
  name: 'vendor_balance',
  about: `${vendorBalance.about} Add it up freely: every event is in one hour.`,
  from: `${ownRows(vendorBalance)} AS r`,
  columns: {
    ...ofNetwork,
    ...ofVendor,
    hour: counted('hour'),
    received: counted('received'),
    stored: counted('stored'),
    duplicate: counted('duplicate'),
    conflict: counted('conflict'),
    quarantined: counted('quarantined'),
    late: counted('late'),
    clock_ahead: counted('clock_ahead'),
  },
});
