import { heartbeats as heartbeatsTable, effectiveOutages, vendorBalance } from '../tables/index.ts';
import {
  type AnalystColumn,
  as,
  column,
  defineAnalystView,
  dictionaryValue,
  ofNetwork,
  ofPlace,
  ofVendor,
  unseenNumber,
  unseenText,
} from './analyst-view.ts';

const deviceOfFeeder = (feeder: string) => `ifNull(${dictionaryValue('feeders', 'device_id', feeder)}, 0)`;
const locationOf = (device: string) => `ifNull(${dictionaryValue('devices', 'location_id', device)}, 0)`;
const siteOf = (location: string) => `ifNull(${dictionaryValue('locations', 'site_id', location)}, 0)`;

const placeOf = (device: string) => {
  const location = locationOf(device);
  return ofPlace({ device, location, site: siteOf(location) });
};

const ofOutage = `if(r.kind = 'feeder', ${deviceOfFeeder('r.id')}, r.id)`;
const outageField = (field: keyof typeof effectiveOutages.fields): AnalystColumn => ({
  ...effectiveOutages.fields[field],
  sql: `r.${field}`,
});

export const outages = defineAnalystView({
  name: 'outages',
  about:
    'One row per outage of a device or feeder. An outage begins 300 s after the last heartbeat of the device, of an app on it, or of the feeder. Heartbeats that arrive more than 300 s late shorten outages and begin none. Outages of a device and of its feeder are separate rows: filter by kind before summing seconds. The outage of a retired device stays open: cut it at retired_at of devices.',
  from: (ownRows) => `${ownRows(effectiveOutages)} AS r`,
  columns: {
    ...ofNetwork,
    kind: { ...outageField('kind'), sql: unseenText('r.kind') },
    feeder_id: column(
      'Nullable(UInt64)',
      'Feeder; null where a device was offline.',
      `if(r.kind = 'feeder', r.id, NULL)`,
    ),
    feeder: column(
      'Nullable(String)',
      'Current name of the feeder.',
      `if(r.kind = 'feeder', ${dictionaryValue('feeders', 'name', 'r.id')}, NULL)`,
    ),
    ...placeOf(ofOutage),
    offline_at: outageField('offline_at'),
    online_at: outageField('online_at'),
    seconds: outageField('seconds'),
    backfilled: outageField('backfilled'),
  },
});

const deviceOfHeartbeat = `if(r.feeder_id > 0, ${deviceOfFeeder('r.feeder_id')}, r.device_id)`;

export const heartbeats = defineAnalystView({
  name: 'heartbeats',
  about:
    'One row per hour (UTC) with heartbeats of a device, of an app on a device or of a feeder. Hours without a heartbeat have no row. Devices and apps differ by kind: filter by kind before summing. A heartbeat of either shows that the device is online.',
  from: (ownRows) => `${ownRows(heartbeatsTable)} AS r`,
  groupBy: ['r.network_id', "toStartOfHour(r.at, 'UTC')", 'r.device_id', 'r.feeder_id', 'r.app'],
  columns: {
    ...ofNetwork,
    hour: column("DateTime('UTC')", 'The hour (UTC); a filter on it makes queries fast.', "toStartOfHour(r.at, 'UTC')"),
    kind: column(
      'String',
      'device, app or feeder.',
      `multiIf(r.feeder_id > 0, 'feeder', r.app != '', 'app', 'device')`,
    ),
    feeder_id: column(
      'Nullable(UInt64)',
      'Feeder of the heartbeats, else null.',
      `nullIf(${unseenNumber('r.feeder_id')}, 0)`,
    ),
    feeder: column(
      'Nullable(String)',
      'Current name of the feeder.',
      dictionaryValue('feeders', 'name', 'r.feeder_id'),
    ),
    app: as(heartbeatsTable, 'app', unseenText('r.app')),
    ...placeOf(deviceOfHeartbeat),
    heartbeat_count: column('UInt64', 'Heartbeats.', 'uniqExact(r.at)'),
    minutes_with_heartbeats: column(
      'UInt64',
      'Minutes of the hour with a heartbeat, 0 to 60.',
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
  about: `${vendorBalance.about} Sums are exact: every event is in one hour.`,
  from: (ownRows) => `${ownRows(vendorBalance)} AS r`,
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
