import type { Field, TableDefinition } from '@popsvc/platform/clickhouse';

/** SQL expression for a column as an argument of a hash function. Null becomes the text `\N`. */
export const hashedColumn = ([name, { type }]: readonly [string, Field]): string =>
  type.startsWith('Nullable') ? `ifNull(toString(${name}), '\\\\N')` : name;

/** Columns that are compared: all except incidental ones, such as the time when a row was written. */
export const comparedFields = ({ fields }: TableDefinition): readonly (readonly [string, Field])[] =>
  Object.entries<Field>(fields).filter(([, { isIncidental }]) => !isIncidental);

/** SQL expression for a hash of a row's content: its compared columns without the sort key and `is_deleted`. */
export const contentOf = (table: TableDefinition): string => {
  const columns = comparedFields(table).filter(([name]) => !table.orderBy.includes(name) && name !== 'is_deleted');
  return `sipHash128(${columns.map(hashedColumn).join(', ')})`;
};
