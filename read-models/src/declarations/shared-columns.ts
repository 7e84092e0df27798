import { type DatasetColumn, type Hierarchy, type HierarchyLevel, number, string } from './dataset.ts';
import type { PageFields, RowField } from './packed-row.ts';
import { attribute, knownId, localLabelOf, value, word } from './values.ts';

type SharedFields = PageFields<'site_tz' | 'site_id' | 'location_id' | 'device_id'>['fields'];

export const siteZoneColumn = ({ site_tz }: SharedFields): DatasetColumn =>
  string('SITE_TZ', 'site timezone', word(site_tz));

export const hourAndDayColumns = ({ ts, site_tz }: SharedFields): readonly DatasetColumn[] => [
  string(
    'HOUR_SITE_TZ',
    'hour label: 00 to 23; an hour that clocks repeat has one label',
    localLabelOf('%H', ts, site_tz),
  ),
  string('DAY_SITE_TZ', 'day label: Monday to Sunday', localLabelOf('%W', ts, site_tz)),
];

/** The text is empty, because all rows of a page belong to one network. */
const network = { sql: 'network_id', text: () => '' };

export const networkColumns: readonly DatasetColumn[] = [
  number(
    'NETWORK_ID',
    'network id',
    value('network_id', (_, names) => String(names.network)),
  ),
  string('NETWORK_NAME', 'network name', attribute('networks', 'name', network)),
];

const place = (stem: 'site' | 'location' | 'device', id: RowField): readonly DatasetColumn[] => [
  number(`${stem.toUpperCase()}_ID`, `${stem} id`, knownId(id)),
  string(`${stem.toUpperCase()}_NAME`, `${stem} name`, attribute(`${stem}s`, 'name', id)),
];

export const placeColumns = ({ site_id, location_id, device_id }: SharedFields): readonly DatasetColumn[] => [
  ...place('site', site_id),
  ...place('location', location_id),
  ...place('device', device_id),
];

/** `finest`: the level below the device. */
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
