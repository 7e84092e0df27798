import type { Field, TableDefinition } from '@popsvc/platform/clickhouse';

export const hashedColumn = ([name, { type }]: readonly [string, Field]): string =>
  type.startsWith('Nullable') ? `ifNull(toString(${name}), '\\\\N')` : name;

export const comparedFields = ({ fields }: TableDefinition): readonly (readonly [string, Field])[] =>
  Object.entries<Field>(fields).filter(([, { isIncidental }]) => !isIncidental);

export const contentOf = (table: TableDefinition): string => {
  const columns = comparedFields(table).filter(([name]) => !table.orderBy.includes(name) && name !== 'is_deleted');
  return `sipHash128(${columns.map(hashedColumn).join(', ')})`;
};
