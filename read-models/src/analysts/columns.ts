import { registryTables } from '../tables/index.ts';
import { type AnalystColumn, as, column, dictionaryValue, unseenNumber, unseenText } from './define-analyst-view.ts';

/** Columns that several views share, told once. Rows are `r`. */
const { networks, vendors } = registryTables;

const name = (what: string, sql: string) => column('Nullable(String)', `${what} as it is called now.`, sql);
/** An id that the tables have as 0 where it is unknown. */
const known = (what: string, sql: string) =>
  column('Nullable(UInt64)', `${what}; null while unknown.`, `nullIf(${sql}, 0)`);

export const ofNetwork = {
  network_id: as(networks, 'network_id', unseenNumber('r.network_id')),
  network: name('Network', dictionaryValue('networks', 'name', 'r.network_id')),
};

export const ofVendor = {
  vendor: column('LowCardinality(String)', vendors.fields.code.about, unseenText('r.vendor')),
  vendor_name: name('Vendor', dictionaryValue('vendors', 'name', 'tuple(toString(r.vendor))')),
};

interface PlaceSql {
  readonly device: string;
  readonly location: string;
  readonly site: string;
}

/** Where something was: `sql` says which column holds which id. */
export const ofPlace = ({ device, location, site }: PlaceSql): Readonly<Record<string, AnalystColumn>> => ({
  device_id: known('Device', device),
  device: name('Device', dictionaryValue('devices', 'name', device)),
  location_id: known('Location', location),
  location: name('Location', dictionaryValue('locations', 'name', location)),
  site_id: known('Site', site),
  site: name('Site', dictionaryValue('sites', 'name', site)),
});

/** An instant in the clock of the site. */
export const ofLocalTime = (instant: string, zone: string): Readonly<Record<string, AnalystColumn>> => {
  const timezone = `CAST(${zone}, 'String')`;
  const clock = (format: string) => `formatDateTime(${instant}, '${format}', ${timezone})`;
  return {
    timezone: column('String', 'Zone of the site, in which local times are told.', timezone),
    local_date: column('Date', 'Day at the site.', `toDate(${clock('%Y-%m-%d')})`),
    local_hour: column('UInt8', 'Hour at the site, 0 to 23.', `toUInt8(${clock('%H')})`),
    local_weekday: column('String', 'Day of the week at the site, such as Monday.', clock('%W')),
  };
};

interface AdvertisedSql {
  readonly campaign: string;
  readonly creative: string;
}

/** What was advertised; the registry may learn of it later than it is played. */
export const ofAdvertised = ({ campaign, creative }: AdvertisedSql): Readonly<Record<string, AnalystColumn>> => {
  const [ofCampaign, ofCreative] = [`(r.network_id, ${campaign})`, `(r.network_id, ${creative})`];
  return {
    campaign_ref: column('String', 'Campaign as the vendor names it.', campaign),
    campaign_id: column(
      'Nullable(UInt64)',
      'Campaign; null while unknown.',
      dictionaryValue('campaigns', 'campaign_id', ofCampaign),
    ),
    campaign: name('Campaign', dictionaryValue('campaigns', 'name', ofCampaign)),
    creative_ref: column('String', 'Creative as the vendor names it.', creative),
    creative: name('Creative', dictionaryValue('creatives', 'display_title', ofCreative)),
  };
};
