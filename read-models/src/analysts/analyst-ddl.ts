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
import { analystsDatabase, type AnalystView, TABLES_DATABASE } from './analyst-view.ts';
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

const ownRowsName = (name: string): string => `${name}_own`;

const findReadRelations = (views: readonly AnalystView[]): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const { from } of views)
    from(({ name }) => {
      names.add(name);
      return name;
    });
  return names;
};

/** Names of the tables and views that the views of analysts read. */
const readRelations = findReadRelations(analystViews);

/** Returns true when a view of analysts reads this table or view. */
export const isReadByAnalysts = ({ name }: { readonly name: string }): boolean => readRelations.has(name);

/** Copy of the analysts' grants in PostgreSQL, which the views read. Has one generation only, because no projection writes it. */
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
 * SQL condition for the rows of the reader's networks, used in PREWHERE. ClickHouse evaluates PREWHERE before the conditions of the
 * query, so a condition that reveals values by an error on purpose never gets rows of other networks.
 */
const isOwn = `network_id IN (SELECT arrayJoin(networks) ${ofReader}) OR (SELECT max(every_network) ${ofReader}) = 1`;

/** Returns the comment of a restricted view, from which `findGenerationsHiddenFromAnalysts` knows its generation. */
const ownRowsComment = (generation: number): string => `Rows of generation ${generation}.`;

/** Restricts a view to the rows of the reader's networks. */
const ownRowsScope = (generation: number): ViewScope => ({
  suffix: 'own',
  where: ` PREWHERE ${isOwn}`,
  comment: ownRowsComment(generation),
});

/** Builds the view of a table that analysts' views read: the rows of a generation that belong to the reader's networks. */
export const createOwnRowsOfTable = (table: TableDefinition, generation: number): string =>
  `CREATE OR REPLACE VIEW ${quoteIdentifier(ownRowsName(table.name))} AS ` +
  `${selectRows(generation, ownRowsScope(generation))(table)} COMMENT ${quoteString(ownRowsComment(generation))}`;

/** Builds the view of another view that analysts' views read, like `createOwnRowsOfTable`. */
export const createOwnRowsOfView = (view: ViewDefinition, generation: number): string =>
  createView(view, generation, ownRowsScope(generation));

/** Query of the names and comments of all views that are restricted to the reader's rows. */
export const ownRowsViewsSql = `SELECT name, comment FROM system.tables
  WHERE database = currentDatabase() AND endsWith(name, '_own')`;

/** Returns true when the restricted view of a table or view reads a generation. `comments`: result of `ownRowsViewsSql`, by name. */
export const showsGeneration = (
  comments: ReadonlyMap<string, string>,
  { name }: { readonly name: string },
  generation: number,
): boolean => comments.get(ownRowsName(name)) === ownRowsComment(generation);

/** Builds a view of analysts. The view runs with its creator's rights, because analysts may not read its sources. */
export const createAnalystView = (view: AnalystView, database: string): string => {
  const { name: as, about, from, columns, groupBy = [] } = view;
  const text = [
    `CREATE OR REPLACE VIEW ${quoteIdentifier(analystsDatabase(database))}.${quoteIdentifier(as)} (`,
    Object.entries(columns).map(columnDefinition).join(',\n'),
    ') DEFINER = CURRENT_USER SQL SECURITY DEFINER AS',
    `SELECT ${Object.entries(columns)
      .map(([alias, { sql }]) => `${sql} AS ${quoteIdentifier(alias)}`)
      .join(', ')}`,
    `FROM ${from(({ name }) => `${TABLES_DATABASE}.${ownRowsName(name)}`)}`,
    ...(groupBy.length > 0 ? [`GROUP BY ${groupBy.join(', ')}`] : []),
    `COMMENT ${quoteString(about)}`,
  ].join('\n');
  return text.replaceAll(TABLES_DATABASE, database);
};
