import type { Shard } from '@popsvc/domain/partitioning';
import type { TableDefinition } from '@popsvc/platform/clickhouse';
import { clockSql, localLabelSql } from '../declarations/local-times.ts';
import { registryTables } from '../tables/index.ts';

/** Placeholder for the name of the database that contains the tables. */
export const TABLES_DATABASE = '{tables_database}';

export interface AnalystColumn {
  readonly type: string;
  readonly about: string;
  /** `r` is the alias of the rows that the view reads. */
  readonly sql: string;
}

export interface AnalystView {
  readonly name: string;
  readonly about: string;
  /**
   * The FROM clause gives its rows the alias `r`. Under the name that `ownRows` returns, a relation has only rows of the analyst's
   * networks; under its own name, it has rows of all networks.
   */
  readonly from: (ownRows: OwnRows, shard: Shard) => string;
  readonly columns: Readonly<Record<string, AnalystColumn>>;
  /** Expressions over `r`. Default: each row of `r` is a row of the view. */
  readonly groupBy?: readonly string[];
}

/** Returns the name of the view of `relation` that shows only the analyst's networks. */
export type OwnRows = (relation: { readonly name: string }) => string;

export const defineAnalystView = <const View extends AnalystView>(view: View): View => view;

/** The SQL yields null if the key is missing. */
export const dictionaryValue = (dictionary: string, attribute: string, key: string): string =>
  `dictGetOrNull('${TABLES_DATABASE}.dict_${dictionary}', '${attribute}', ${key})`;

export const column = (type: string, about: string, sql: string): AnalystColumn => ({ type, about, sql });

export const as = (table: TableDefinition, field: string, sql = `r.${field}`, about?: string): AnalystColumn => {
  const { type, about: words } = table.fields[field]!;
  return { type, about: about ?? words, sql };
};

/**
 * The function call stops ClickHouse from evaluating an analyst's condition on the primary index, whose values of other networks an error
 * message could show. Time columns are used without a call, because fast queries need the index.
 */
export const unseenNumber = (sql: string): string => `bitOr(${sql}, 0)`;
export const unseenText = (sql: string): string => `concat(${sql}, '')`;

const { networks, vendors } = registryTables;

const name = (what: string, sql: string) =>
  column('Nullable(String)', `Current name of the ${what.toLowerCase()}.`, sql);
/** The tables store 0 for an unknown id. */
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

export const ofPlace = ({ device, location, site }: PlaceSql): Readonly<Record<string, AnalystColumn>> => ({
  device_id: known('Device', device),
  device: name('Device', dictionaryValue('devices', 'name', device)),
  location_id: known('Location', location),
  location: name('Location', dictionaryValue('locations', 'name', location)),
  site_id: known('Site', site),
  site: name('Site', dictionaryValue('sites', 'name', site)),
});

export const ofLocalTime = (instant: string, zone: string): Readonly<Record<string, AnalystColumn>> => {
  const timezone = `CAST(${zone}, 'String')`;
  const database = `${TABLES_DATABASE}.`;
  const part = (format: string) => localLabelSql(format, instant, timezone, database);
  return {
    timezone: column('String', 'Zone of the site, used for local times.', timezone),
    local_time: column(
      "DateTime64(3, 'UTC')",
      'Time that a clock at the site shows, with type UTC: not an instant.',
      clockSql(instant, timezone, database),
    ),
    local_date: column('Date', 'Day at the site.', `toDate(${part('%Y-%m-%d')})`),
    local_hour: column('UInt8', 'Hour at the site, 0 to 23.', `toUInt8(${part('%H')})`),
    local_weekday: column('String', 'Day of the week at the site, such as Monday.', part('%W')),
  };
};

interface AdvertisedSql {
  readonly campaign: string;
  readonly creative: string;
}

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

/** Must not begin with `popsvc`: grants on the tables apply to all databases with that prefix (`popsvc*.*`). */
export const analystsDatabase = (database: string): string => `analysts_${database}`;

/** With several shards, the views of one shard have their own database, and analysts read all shards in `analystsDatabase`. */
export const analystsShardDatabase = (database: string, { of }: Shard): string =>
  of === 1 ? analystsDatabase(database) : `${analystsDatabase(database)}_shard`;

/**
 * SQL tools need these relations to list tables and columns. ClickHouse shows a user only the entries of relations that the user may read.
 */
export const schemaRelations = ['information_schema.*', 'INFORMATION_SCHEMA.*', 'system.parts'];
