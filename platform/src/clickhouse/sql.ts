import { generationTable, type TableDefinition } from './tables.ts';

/** `Dictionary`: the value is the name of a dictionary in the database of the tables. */
export type BoundType =
  'UInt64' | 'Int64' | 'String' | 'Array(UInt64)' | 'Array(Int64)' | 'Array(String)' | 'Dictionary';

export class Bound {
  readonly type: BoundType;
  readonly value: unknown;

  constructor(type: BoundType, value: unknown) {
    this.type = type;
    this.value = value;
  }
}

/** The rows of a network that start in [fromMs, toMs), in ms since 1970. */
export interface RowScope {
  readonly network: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The tables and views that a query reads, by name without generation number. A table of a given generation is also listed by its physical
 * name, such as `coffee_g7`.
 */
export type ReadRelations = ReadonlyMap<string, readonly RowScope[] | 'all'>;

const mergeRelations = (all: readonly ReadRelations[]): ReadRelations => {
  const [first, second] = all;
  if (!second) return first ?? new Map();
  const merged = new Map<string, readonly RowScope[] | 'all'>();
  for (const [name, scopes] of all.flatMap((relations) => [...relations])) {
    const known = merged.get(name) ?? [];
    merged.set(name, known === 'all' || scopes === 'all' ? 'all' : [...known, ...scopes]);
  }
  return merged;
};

export class Sql {
  readonly texts: readonly string[];
  readonly values: readonly Bound[];
  readonly relations: ReadRelations;

  constructor(texts: readonly string[], values: readonly Bound[], relations: ReadRelations = new Map()) {
    this.texts = texts;
    this.values = values;
    this.relations = relations;
  }

  /** `database`: the database of the tables, which only a query with dictionaries needs. */
  render(database = ''): { readonly query: string; readonly params: Readonly<Record<string, unknown>> } {
    const [first = '', ...rest] = this.texts;
    const bound = this.values.map(({ type, value }) =>
      type === 'Dictionary' ? { type: 'String', value: `${database}.${String(value)}` } : { type, value },
    );
    return {
      query: rest.reduce((query, text, index) => `${query}{p${index}:${bound[index]!.type}}${text}`, first),
      params: Object.fromEntries(bound.map(({ value }, index) => [`p${index}`, value])),
    };
  }
}

/** A placeholder is a bound value or another `Sql` object, never a string, so a value cannot inject SQL. */
export const sql = (texts: TemplateStringsArray, ...placeholders: readonly (Bound | Sql)[]): Sql => {
  const finished: string[] = [];
  const values: Bound[] = [];
  const relations: ReadRelations[] = [];
  let last = texts[0] ?? '';
  placeholders.forEach((inserted, index) => {
    const [first = '', ...rest] = inserted instanceof Bound ? ['', ''] : inserted.texts;
    values.push(...(inserted instanceof Bound ? [inserted] : inserted.values));
    if (inserted instanceof Sql && inserted.relations.size > 0) relations.push(inserted.relations);
    last += first;
    for (const text of rest) {
      finished.push(last);
      last = text;
    }
    last += texts[index + 1] ?? '';
  });
  return new Sql([...finished, last], values, mergeRelations(relations));
};

/** Declares that a query reads only the rows of `scope`. The query must contain the conditions itself, because this function adds none. */
export const limitedTo = (scope: RowScope, source: Sql): Sql =>
  new Sql(source.texts, source.values, new Map([...source.relations.keys()].map((name) => [name, [scope]])));

/** The text is not escaped: never pass text from a request. */
export const sqlText = (text: string): Sql => new Sql([text], []);

export const bind = (type: BoundType, value: unknown): Bound => new Bound(type, value);

/** Costs less CPU time in ClickHouse than a bound value. Throws a RangeError unless the number is whole. */
export const numberSql = (value: number | bigint): Sql => sqlText(String(BigInt(value)));

/** The last clause of a query that reads few rows. For such a query, one thread costs less CPU time than several. */
export const fewRows: Sql = sqlText('SETTINGS max_threads = 1');

export const dictionaryName = (stem: string): Bound => new Bound('Dictionary', `dict_${stem}`);

const joined = (parts: readonly Sql[], between: Sql): Sql =>
  parts.reduce((all, part, index) => (index === 0 ? part : sql`${all}${between}${part}`), sql``);

/** Leaves out undefined conditions. Returns `1` (true) if there are none. */
export const joinWithAnd = (conditions: readonly (Sql | undefined)[]): Sql => {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0 ? sql`1` : joined(given, sql` AND `);
};

/** Returns `0` (false) for an empty list. */
export const joinWithOr = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`0` : sql`(${joined(conditions, sql` OR `)})`;

export const joinWithCommas = (parts: readonly Sql[]): Sql => joined(parts, sql`, `);

export const joinWithUnionAll = (queries: readonly Sql[]): Sql => joined(queries, sql` UNION ALL `);

const identifierFormat = /^[A-Za-z_][A-Za-z0-9_]*$/;

const identifier = (name: string, relations: readonly string[] = []): Sql => {
  if (!identifierFormat.test(name)) throw new Error(`${JSON.stringify(name)} is not a valid SQL identifier`);
  return new Sql([name], [], new Map(relations.map((relation) => [relation, 'all'])));
};

export const liveViewName = ({ name }: Pick<TableDefinition, 'name'>): Sql => identifier(`${name}_live`, [name]);

/** The table may contain several versions of a row. */
export const tableName = (table: Pick<TableDefinition, 'name'>, generation: number): Sql => {
  const physical = generationTable(table, generation);
  return identifier(physical, [table.name, physical]);
};

/** Reads the live generation if `generation` is undefined. */
export const currentRows = (table: Pick<TableDefinition, 'name'>, generation: number | undefined): Sql =>
  generation === undefined ? liveViewName(table) : sql`${tableName(table, generation)} FINAL`;

export const selectColumn = ({ sql: expression, name }: { readonly sql: string; readonly name: string }): Sql =>
  sql`${sqlText(expression)} AS ${identifier(name)}`;

export const instantSql = (ms: number): Sql => sql`fromUnixTimestamp64Milli(${numberSql(ms)}, 'UTC')`;

/** ClickHouse accepts at most 128 KiB in a parameter. Percent-encoding may turn each byte into three. */
const maxChunkBytes = 32_768;

/** Divides items into lists that fit into an array parameter if each item does. `textOf` returns the text of an item in the parameter. */
export const chunkForParameter = <Item>(items: readonly Item[], textOf: (item: Item) => string): Item[][] => {
  const chunks: Item[][] = [];
  let bytes = Infinity;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(textOf(item))) + 1;
    bytes += size;
    if (bytes > maxChunkBytes) {
      chunks.push([]);
      bytes = size;
    }
    chunks.at(-1)!.push(item);
  }
  return chunks;
};
