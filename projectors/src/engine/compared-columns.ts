import type { Field, TableDefinition } from '@popsvc/platform/clickhouse';

/** Returns the SQL expression that passes a column to a hash function. Null is hashed as the text `\N`, which no value equals. */
export const hashedColumn = ([name, { type }]: readonly [string, Field]): string =>
  type.startsWith('Nullable') ? `ifNull(toString(${name}), '\\\\N')` : name;

/** All columns except incidental ones, such as the time when a row was written. */
export const comparedFields = ({ fields }: TableDefinition): readonly (readonly [string, Field])[] =>
  Object.entries<Field>(fields).filter(([, { isIncidental }]) => !isIncidental);

/** SQL expression for the content of a row: a hash of its compared columns, without those of the sort key and `is_deleted`. */
export const contentOf = (table: TableDefinition): string => {
  const columns = comparedFields(table).filter(([name]) => !table.orderBy.includes(name) && name !== 'is_deleted');
  return `sipHash128(${columns.map(hashedColumn).join(', ')})`;
};
