import { analystsDatabase } from './analysts-database.ts';
import { type AnalystView, TABLES_DATABASE } from './define-analyst-view.ts';
import { analystGrants } from './grants.table.ts';
import {
  columnDefinition,
  createView,
  generationTable,
  quoteIdentifier,
  quoteString,
  selectRows,
  type ViewScope,
  type TableDefinition,
  type ViewDefinition,
} from '@popsvc/platform/clickhouse';

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
