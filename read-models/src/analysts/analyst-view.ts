import type { TableDefinition } from '@popsvc/platform/clickhouse';
import { registryTables } from '../tables/index.ts';

/** Stands in SQL of this room where the name of the database goes that holds the tables. */
export const TABLES_DATABASE = '{house}';

/** A column as analysts see it. */
export interface AnalystColumn {
  readonly type: string;
  readonly about: string;
  /** Over `r`, the rows the view is made from. */
  readonly sql: string;
}

/** What analysts read: rows of their networks alone, of the live generation, with names in place of keys of ours. */
export interface AnalystView {
  readonly name: string;
  /** What a row is, and how to count. */
  readonly about: string;
  /** What stands after FROM and names its rows `r`. Tables are read by `own`, which leaves out what is not the reader's. */
  readonly from: string;
  readonly columns: Readonly<Record<string, AnalystColumn>>;
  /** Expressions over `r`; none: a row of the view is a row of `r`. */
  readonly groupBy?: readonly string[];
}

export const defineAnalystView = <const View extends AnalystView>(view: View): View => view;

/** The rows of a table, or of a view of ours, that belong to the networks of whoever asks. */
export const ownRows = ({ name }: { readonly name: string }): string => `${TABLES_DATABASE}.${name}_own`;

/** A name, or null while it is not known. */
export const dictionaryValue = (dictionary: string, attribute: string, key: string): string =>
  `dictGetOrNull('${TABLES_DATABASE}.dict_${dictionary}', '${attribute}', ${key})`;

export const column = (type: string, about: string, sql: string): AnalystColumn => ({ type, about, sql });

/** A column as the table has it, with its words. */
export const as = (table: TableDefinition, field: string, sql = `r.${field}`, about?: string): AnalystColumn => {
  const { type, about: words } = table.fields[field]!;
  return { type, about: about ?? words, sql };
};

/**
 * A column of a sort key that only its rows may tell of. While ClickHouse looks for the blocks to read, it tries conditions on
 * what the index holds of all networks; a condition made to fail would say by its error what it saw. Through these functions it
 * does not look. Times are left as they are, since without them every query would read everything.
 */
export const unseenNumber = (sql: string): string => `bitOr(${sql}, 0)`;
export const unseenText = (sql: string): string => `concat(${sql}, '')`;

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

/**
 * The database analysts see, beside the one that holds the tables: the engine's grants know beginnings of names and no ends,
 * so that the two must not begin alike.
 */
export const analystsDatabase = (database: string): string => `analysts_${database}`;
