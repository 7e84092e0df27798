import type { TableDefinition } from '@popsvc/platform/clickhouse';
import { registryTables } from '../tables/index.ts';

/** Placeholder for the name of the database with the tables. */
export const TABLES_DATABASE = '{tables_database}';

/** A column as analysts see it. */
export interface AnalystColumn {
  readonly type: string;
  readonly about: string;
  /** SQL expression over `r`, the rows that the view is made from. */
  readonly sql: string;
}

/** A view for analysts: rows of their networks in the live generation, with names instead of internal keys. */
export interface AnalystView {
  readonly name: string;
  /** What a row is, and how to count rows. */
  readonly about: string;
  /**
   * Builds the FROM clause with alias `r`. Tables and views must be named by `ownRows`, which excludes rows of other networks.
   * `findReadRelations` passes another function, to collect the names of these relations.
   */
  readonly from: (ownRows: OwnRows) => string;
  readonly columns: Readonly<Record<string, AnalystColumn>>;
  /** Expressions over `r` to group by; default: each row of `r` is a row of the view. */
  readonly groupBy?: readonly string[];
}

/** Returns the relation with the rows of a table or view that belong to the reader's networks. */
export type OwnRows = (relation: { readonly name: string }) => string;

export const defineAnalystView = <const View extends AnalystView>(view: View): View => view;

/** An attribute of a dictionary, or null for a missing key. */
export const dictionaryValue = (dictionary: string, attribute: string, key: string): string =>
  `dictGetOrNull('${TABLES_DATABASE}.dict_${dictionary}', '${attribute}', ${key})`;

export const column = (type: string, about: string, sql: string): AnalystColumn => ({ type, about, sql });

/** Makes a column from a column of a table, with its type and description. */
export const as = (table: TableDefinition, field: string, sql = `r.${field}`, about?: string): AnalystColumn => {
  const { type, about: words } = table.fields[field]!;
  return { type, about: about ?? words, sql };
};

/**
 * Prevents that conditions on a sort-key column use the primary index. The index has values of all networks, so a condition that
 * fails on purpose would reveal them by its error. ClickHouse does not use the index for the result of a function. Time columns stay
 * unchanged, because otherwise every query would read the whole table.
 */
export const unseenNumber = (sql: string): string => `bitOr(${sql}, 0)`;
export const unseenText = (sql: string): string => `concat(${sql}, '')`;

/* Columns of several views, over rows `r`. */
const { networks, vendors } = registryTables;

const name = (what: string, sql: string) =>
  column('Nullable(String)', `Current name of the ${what.toLowerCase()}.`, sql);
/** Makes the column of an id that is null while unknown; the tables store 0 for an unknown id. */
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

/** Makes the columns of a device, a location and a site from SQL of their ids. */
export const ofPlace = ({ device, location, site }: PlaceSql): Readonly<Record<string, AnalystColumn>> => ({
  device_id: known('Device', device),
  device: name('Device', dictionaryValue('devices', 'name', device)),
  location_id: known('Location', location),
  location: name('Location', dictionaryValue('locations', 'name', location)),
  site_id: known('Site', site),
  site: name('Site', dictionaryValue('sites', 'name', site)),
});

/** Makes the columns with the local time of the site. */
export const ofLocalTime = (instant: string, zone: string): Readonly<Record<string, AnalystColumn>> => {
  const timezone = `CAST(${zone}, 'String')`;
  const clock = (format: string) => `formatDateTime(${instant}, '${format}', ${timezone})`;
  return {
    timezone: column('String', 'Zone of the site, used for local times.', timezone),
    local_date: column('Date', 'Day at the site.', `toDate(${clock('%Y-%m-%d')})`),
    local_hour: column('UInt8', 'Hour at the site, 0 to 23.', `toUInt8(${clock('%H')})`),
    local_weekday: column('String', 'Day of the week at the site, such as Monday.', clock('%W')),
  };
};

interface AdvertisedSql {
  readonly campaign: string;
  readonly creative: string;
}

/** Makes the columns of a campaign and a creative, which are null while the registry does not know them. */
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
 * The database of the analysts' views. ClickHouse grants match name prefixes, so its name must not begin like that of the
 * database with the tables.
 */
export const analystsDatabase = (database: string): string => `analysts_${database}`;
