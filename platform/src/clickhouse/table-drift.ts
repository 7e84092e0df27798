import type { TableDefinition } from './define-table.ts';
import { tableSettings } from './ddl.ts';

/** A table as the server tells it. */
export interface StoredTable {
  /** Engine with its arguments, keys and settings, as `engine_full` in system.tables. */
  readonly engine: string;
  readonly sortingKey: string;
  /** Types by name. */
  readonly columns: ReadonlyMap<string, string>;
}

const bare = (text: string) => text.replaceAll(/[\s`]/g, '');

/** The server writes a key of one column with and without them, as the statement had it. */
const unbraced = (key: string) => key.replace(/^\((.*)\)$/, '$1');

/**
 * Arguments of the engine; undefined where it is another one. A server on a cluster has put a word before its name, and paths before
 * its arguments.
 */
const argumentsOf = (engine: string): string | undefined => {
  const [found, told = ''] = /^(?:Replicated|Shared)?ReplacingMergeTree\b(?:\(([^)]*)\))?/.exec(engine) ?? [];
  if (found === undefined) return undefined;
  const all = told.split(',').map((argument) => argument.trim());
  return all.filter((argument) => !argument.startsWith("'")).join(', ');
};

const ofColumns = ({ fields }: TableDefinition, { columns }: StoredTable): string[] =>
  Object.entries(fields).flatMap(([name, { type }]) => {
    const found = columns.get(name);
    if (found === undefined) return [`column ${name} is missing`];
    return bare(found) === bare(type) ? [] : [`column ${name} is ${found}, should be ${type}`];
  });

const ofSettings = ({ engine }: StoredTable): string[] =>
  Object.entries(tableSettings).flatMap(([name, value]) => {
    const found = new RegExp(`\\b${name} = (\\w+)`).exec(engine)?.[1];
    return found === String(value) ? [] : [`setting ${name} is ${found ?? 'not set'}, should be ${value}`];
  });

/** How a table differs from what `createTable` would make; nothing when it does not. Columns it has besides are nobody's harm. */
export const findTableDrift = (table: TableDefinition, found: StoredTable): readonly string[] => {
  const { version, deleted } = table.replacing;
  const wanted = [version, deleted].filter((argument) => argument !== undefined).join(', ');
  const isOurs = argumentsOf(found.engine) === wanted;
  const key = table.orderBy.join(', ');
  return [
    ...(isOurs
      ? []
      : [
          `engine is ${/^\w+(?:\([^)]*\))?/.exec(found.engine)?.[0] ?? found.engine}, should be ReplacingMergeTree(${wanted})`,
        ]),
    ...(unbraced(bare(found.sortingKey)) === bare(key) ? [] : [`sorted by ${found.sortingKey}, should be ${key}`]),
    ...ofColumns(table, found),
    ...(isOurs ? ofSettings(found) : []),
  ];
};
