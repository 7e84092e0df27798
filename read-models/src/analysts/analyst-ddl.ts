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
import { analystsDatabase, type AnalystView, ownRows, TABLES_DATABASE } from './analyst-view.ts';
import { audience, plays, watchers } from './play-views.ts';
import { balance, heartbeats, outages } from './health-views.ts';
import { campaigns, creatives, devices, networks, sites, vendors } from './registry-views.ts';

/** All views of analysts, in the order of the reference. */
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
];

/** Returns whether a view of analysts reads this table or view. */
export const isReadByAnalysts = (relation: { readonly name: string }): boolean =>
  analystViews.some(({ from }) => from.includes(`${ownRows(relation)} `));

/** Copy of the analysts' grants in PostgreSQL, for the views. It has no generations, since no projection writes it. */
export const analystGrants = defineTable({
  name: 'analyst_grants',
  about: 'Networks of each analyst; a login without a row sees none.',
  orderBy: ['user'],
  replacing: { version: 'version' },
  fields: {
    user: field('String', 'Login.'),
    every_network: field('UInt8', '1: all networks, including future ones.'),
    networks: field('Array(UInt64)', 'Networks; empty once revoked.'),
    version: field('UInt64', 'The highest is current.'),
  },
});

const grants = quoteIdentifier(generationTable(analystGrants, 1));
const ofReader = `FROM ${grants} FINAL WHERE user = currentUser()`;

/**
 * Condition for rows of the reader's networks. In PREWHERE, which ClickHouse evaluates before the conditions of the query: a
 * condition that fails on purpose, to reveal values by its error, never sees rows of other networks.
 */
const isOwn = `network_id IN (SELECT arrayJoin(networks) ${ofReader}) OR (SELECT max(every_network) ${ofReader}) = 1`;

const reader: ViewScope = { suffix: 'own', where: ` PREWHERE ${isOwn}` };

/** Builds the view of a table that analysts' views read: the live generation, restricted to the reader's networks. */
export const createOwnRowsOfTable = (table: TableDefinition, generation: number): string =>
  `CREATE OR REPLACE VIEW ${quoteIdentifier(`${table.name}_own`)} AS ${selectRows(generation, reader)(table)}`;

/** Builds the same for a view. */
export const createOwnRowsOfView = (view: ViewDefinition, generation: number): string =>
  createView(view, generation, reader);

/** Builds a view of analysts. It runs with the rights of its creator, since analysts have no access to its sources. */
export const createAnalystView = (view: AnalystView, database: string): string => {
  const { name: as, about, from, columns, groupBy = [] } = view;
  const text = [
    `CREATE OR REPLACE VIEW ${quoteIdentifier(analystsDatabase(database))}.${quoteIdentifier(as)} (`,
    Object.entries(columns).map(columnDefinition).join(',\n'),
    ') DEFINER = CURRENT_USER SQL SECURITY DEFINER AS',
    `SELECT ${Object.entries(columns)
      .map(([alias, { sql }]) => `${sql} AS ${quoteIdentifier(alias)}`)
      .join(', ')}`,
    `FROM ${from}`,
    ...(groupBy.length > 0 ? [`GROUP BY ${groupBy.join(', ')}`] : []),
    `COMMENT ${quoteString(about)}`,
  ].join('\n');
  return text.replaceAll(TABLES_DATABASE, database);
};
