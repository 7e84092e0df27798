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

/** Everything analysts see, in the order of the reference; one line each. */
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

/** Whether any of them reads this table, or this view of ours. */
export const isReadByAnalysts = (relation: { readonly name: string }): boolean =>
  analystViews.some(({ from }) => from.includes(`${ownRows(relation)} `));

/** What PostgreSQL says of analysts, where the views can read it. Without generation: no projection makes it. */
export const analystGrants = defineTable({
  name: 'analyst_grants',
  about: 'Which networks each analyst sees; whoever is not here sees none.',
  orderBy: ['user'],
  replacing: { version: 'version' },
  fields: {
    user: field('String', 'Login.'),
    every_network: field('UInt8', '1: all there are, also those that are yet to come.'),
    networks: field('Array(UInt64)', 'Networks; empty once revoked.'),
    version: field('UInt64', 'The highest stands.'),
  },
});

const grants = quoteIdentifier(generationTable(analystGrants, 1));
const ofReader = `FROM ${grants} FINAL WHERE user = currentUser()`;

/**
 * Rows of the reader's networks. In PREWHERE, which the engine evaluates while it reads and before anything a query asks: a
 * condition that throws, or says by an error what it saw, never gets to see a row of somebody else.
 */
const isOwn = `network_id IN (SELECT arrayJoin(networks) ${ofReader}) OR (SELECT max(every_network) ${ofReader}) = 1`;

const reader: ViewScope = { suffix: 'own', where: ` PREWHERE ${isOwn}` };

/** What analysts' views read of a table in place of its live view: the same generation, the reader's networks alone. */
export const createOwnRowsOfTable = (table: TableDefinition, generation: number): string =>
  `CREATE OR REPLACE VIEW ${quoteIdentifier(`${table.name}_own`)} AS ${selectRows(generation, reader)(table)}`;

/** The same for a view of ours. */
export const createOwnRowsOfView = (view: ViewDefinition, generation: number): string =>
  createView(view, generation, reader);

/** The view itself, run with the rights of whoever creates it: analysts have none to what it reads. */
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
