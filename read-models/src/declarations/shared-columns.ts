import { type DatasetColumn, type Hierarchy, type HierarchyLevel, number, string } from './dataset.ts';
import { dictionaryValue, knownId, label } from './dataset-sql.ts';

/*
 * Columns shared by several datasets. The tables of these datasets have the fields `ts`, `site_tz`, `site_id`, `location_id` and
 * `device_id`.
 */

/** Name of the field that contains the site's time zone. Local times are shown in this time zone. */
export const siteZone = 'site_tz';

export const siteZoneColumn: DatasetColumn = string('SITE_TZ', 'site timezone', `toString(${siteZone})`);

export const hourAndDayColumns: readonly DatasetColumn[] = [
  string('HOUR_SITE_TZ', 'hour label', label('%H', 'ts', siteZone)),
  string('DAY_SITE_TZ', 'day label', label('%W', 'ts', siteZone)),
];

export const networkColumns: readonly DatasetColumn[] = [
  number('NETWORK_ID', 'network id', 'network_id'),
  string('NETWORK_NAME', 'network name', dictionaryValue('networks', 'name', 'network_id')),
];

export const placeColumns: readonly DatasetColumn[] = [
  number('SITE_ID', 'site id', knownId('site_id')),
  string('SITE_NAME', 'site name', dictionaryValue('sites', 'name', 'site_id')),
  number('LOCATION_ID', 'location id', knownId('location_id')),
  string('LOCATION_NAME', 'location name', dictionaryValue('locations', 'name', 'location_id')),
  number('DEVICE_ID', 'device id', knownId('device_id')),
  string('DEVICE_NAME', 'device name', dictionaryValue('devices', 'name', 'device_id')),
];

/** The places of the network and place columns. `finest`: the level below the device. */
export const placeHierarchy = (finest: HierarchyLevel): Hierarchy => ({
  name: 'place',
  about: 'Where it was shown or seen. A level is null if the play or detection has no place.',
  levels: [
    ...['NETWORK', 'SITE', 'LOCATION', 'DEVICE'].map((name) => ({
      name: name.toLowerCase(),
      key: `${name}_ID`,
      label: `${name}_NAME`,
    })),
    finest,
  ],
});
