import { onlyShard, type Shard, shardIndexSql } from '@popsvc/domain/partitioning';
import {
  columnDefinition,
  createView,
  defineTable,
  field,
  generationTable,
  quoteIdentifier,
  quoteString,
  selectRows,
  type TableDefinition,
  type ViewDefinition,
  type ViewScope,
} from '@popsvc/platform/clickhouse';
import { damagedRangesView } from '../pending/pending.table.ts';
import { verifiedRuns } from '../declarations/verified-runs.ts';
import { analystsShardDatabase, type AnalystView, TABLES_DATABASE } from './analyst-view.ts';
import { audience, plays, watchers } from './play-views.ts';
import { balance, heartbeats, outages } from './health-views.ts';
import { campaigns, creatives, devices, networks, sites, vendors } from './registry-views.ts';
import { freshness } from './freshness-view.ts';
import { timeZones, viewingThresholds } from './period-views.ts';

/** The reference documentation lists the views in this order. */
export const analystViews: readonly AnalystView[] = [
  plays,
  audience,
  watchers,
  devices,
  sites,
  networks,
  campaigns,
  creatives,
  vendors,
  outages,
  heartbeats,
  balance,
  freshness,
  viewingThresholds,
  timeZones,
];

const ownRowsName = (name: string): string => `${name}_own`;

const findReadRelations = (views: readonly AnalystView[]): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const { from } of views)
    from(({ name }) => {
      names.add(name);
      return name;
    }, onlyShard);
  return names;
};

const readRelations = findReadRelations(analystViews);

export const isReadByAnalysts = ({ name }: { readonly name: string }): boolean => readRelations.has(name);

/**
 * Copy of the analysts' logins and networks; PostgreSQL has the original. No projection writes to the table, so replays do not rebuild it.
 */
export const analystGrants = defineTable({
  name: 'analyst_grants',
  about: 'Login and networks of each analyst; a login without a row sees none.',
  orderBy: ['user'],
  replacing: { version: 'version' },
  fields: {
    user: field('String', 'Login.'),
    password_sha256: field('String', 'SHA-256 of the password as hexadecimal text; empty once revoked.'),
    every_network: field('UInt8', '1: all networks, including future ones.'),
    networks: field('Array(UInt64)', 'Networks; empty once revoked.'),
    version: field('UInt64', 'The highest is current.'),
  },
});

/**
 * User of all analysts' queries to the embedded engine. That engine reads its users only when it starts, so a proxy checks the logins and
 * puts them into query ids.
 */
export const PROXY_USER = 'popsvc_analysts';

/** Beginning of an analyst's query ids. A login contains no slash, so the text before the first slash is the login. */
export const analystQueryPrefix = (analyst: string): string => `${analyst}/`;

const grants = quoteIdentifier(generationTable(analystGrants, 1));
const reader = `if(currentUser() = '${PROXY_USER}', splitByChar('/', queryID())[1], currentUser())`;
const ofReader = `FROM ${grants} FINAL WHERE user = ${reader}`;

/**
 * Must be in PREWHERE, which ClickHouse evaluates before WHERE: the error message of an analyst's failing condition could show values of
 * other networks.
 */
const isOwn = `network_id IN (SELECT arrayJoin(networks) ${ofReader}) OR (SELECT max(every_network) ${ofReader}) = 1`;

const ownRowsComment = (generation: number): string => `Rows of generation ${generation}.`;

/** The condition throws while rows may be missing. A damaged time range counts even if the query does not read that range. */
const isReadable = (name: string): string => {
  const unverified = 'The tables are being verified after a start of ClickHouse. Retry later.';
  const unreadable = `Rows of ${name} are missing and are being rebuilt. Retry later.`;
  const listed = `(SELECT name FROM incomplete_live UNION ALL SELECT name FROM ${damagedRangesView.name}_live)`;
  return (
    `(SELECT throwIf(count() = 0, ${quoteString(unverified)}) FROM ${verifiedRuns}) = 0` +
    ` AND (SELECT throwIf(count() > 0, ${quoteString(unreadable)}) FROM ${listed} WHERE name = ${quoteString(name)}) = 0`
  );
};

/** Each shard stores the registry of all networks, so with several shards, a view also selects the networks of its shard. */
const ownRowsScope = ({ name }: { readonly name: string }, { generation, shard }: ShownGeneration): ViewScope => {
  const condition = shard.of === 1 ? isOwn : `(${isOwn}) AND ${shardIndexSql('network_id', shard.of)} = ${shard.index}`;
  return {
    suffix: 'own',
    where: ` PREWHERE ${condition} WHERE ${isReadable(name)}`,
    comment: ownRowsComment(generation),
  };
};

interface ShownGeneration {
  readonly generation: number;
  readonly shard: Shard;
}

export const createOwnRowsOfTable = (table: TableDefinition, shown: ShownGeneration): string =>
  `CREATE OR REPLACE VIEW ${quoteIdentifier(ownRowsName(table.name))} AS ` +
  `${selectRows(shown.generation, ownRowsScope(table, shown))(table)} COMMENT ${quoteString(ownRowsComment(shown.generation))}`;

export const createOwnRowsOfView = (view: ViewDefinition, shown: ShownGeneration): string =>
  createView(view, shown.generation, ownRowsScope(view, shown));

export const ownRowsViewsSql = `SELECT name, comment FROM system.tables
  WHERE database = currentDatabase() AND endsWith(name, '_own')`;

/** `comments`: comments of views by name, from `ownRowsViewsSql`. */
export const showsGeneration = (
  comments: ReadonlyMap<string, string>,
  { name }: { readonly name: string },
  generation: number,
): boolean => comments.get(ownRowsName(name)) === ownRowsComment(generation);

/** The view runs with its creator's rights, because analysts have no access to the tables. `database`: the database of the tables. */
export const createAnalystView = (
  view: AnalystView,
  { database, shard }: { readonly database: string; readonly shard: Shard },
): string => {
  const { name: as, about, from, columns, groupBy = [] } = view;
  const text = [
    `CREATE OR REPLACE VIEW ${quoteIdentifier(analystsShardDatabase(database, shard))}.${quoteIdentifier(as)} (`,
    Object.entries(columns).map(columnDefinition).join(',\n'),
    ') DEFINER = CURRENT_USER SQL SECURITY DEFINER AS',
    `SELECT ${Object.entries(columns)
      .map(([alias, { sql }]) => `${sql} AS ${quoteIdentifier(alias)}`)
      .join(', ')}`,
    `FROM ${from(({ name }) => `${TABLES_DATABASE}.${ownRowsName(name)}`, shard)}`,
    ...(groupBy.length > 0 ? [`GROUP BY ${groupBy.join(', ')}`] : []),
    `COMMENT ${quoteString(about)}`,
  ].join('\n');
  return text.replaceAll(TABLES_DATABASE, database);
};
