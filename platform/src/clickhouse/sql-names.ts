import { generationTable, type TableDefinition } from './define-table.ts';
import { Sql, sql } from './sql.ts';

const plain = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A name that the house gave: of a table, a column or an alias. Anything else is a mistake in our own code. */
const identifier = (name: string): Sql => {
  if (!plain.test(name)) throw new Error(`not a name: ${name}`);
  return new Sql([name], []);
};

/** The view over the live generation of a table. */
export const liveViewName = ({ name }: Pick<TableDefinition, 'name'>): Sql => identifier(`${name}_live`);

/** The table of one generation, with every version of each row. */
export const tableName = (table: Pick<TableDefinition, 'name'>, generation: number): Sql =>
  identifier(generationTable(table, generation));

/** The rows that stand in a generation of a table; without one, in that which is live when the query is read. */
export const currentRows = (table: Pick<TableDefinition, 'name'>, generation: number | undefined): Sql =>
  generation === undefined ? liveViewName(table) : sql`${tableName(table, generation)} FINAL`;

/** The SQL expression of a column, under the column's name. */
export const selectColumn = ({ sql: expression, name }: { readonly sql: string; readonly name: string }): Sql =>
  sql`${new Sql([expression], [])} AS ${identifier(name)}`;
