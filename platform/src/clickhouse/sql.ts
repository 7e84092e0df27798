import { generationTable, type TableDefinition } from './tables.ts';

/** Types of values that may be bound. */
export type BoundType = 'UInt64' | 'Int64' | 'String' | 'Array(UInt64)' | 'Array(Int64)' | 'Array(String)';

/** A value that travels beside the query, never in its text. */
export class Bound {
  readonly type: BoundType;
  readonly value: unknown;

  constructor(type: BoundType, value: unknown) {
    this.type = type;
    this.value = value;
  }
}

/** Query text with holes; `values` are what stands in them, one between each two texts. */
export class Sql {
  readonly texts: readonly string[];
  readonly values: readonly Bound[];
  /** Names, without generation, of the tables and views that the text reads. */
  readonly relations: ReadonlySet<string>;

  constructor(texts: readonly string[], values: readonly Bound[], relations: ReadonlySet<string> = new Set()) {
    this.texts = texts;
    this.values = values;
    this.relations = relations;
  }

  /** As the server takes it: `{p0:UInt64}` in the text, the values by name. */
  written(): { readonly query: string; readonly params: Readonly<Record<string, unknown>> } {
    const [first = '', ...rest] = this.texts;
    return {
      query: rest.reduce((query, text, index) => `${query}{p${index}:${this.values[index]!.type}}${text}`, first),
      params: Object.fromEntries(this.values.map(({ value }, index) => [`p${index}`, value])),
    };
  }
}

/** SQL that cannot be injected: a hole takes a bound value or other SQL; a string does not compile. */
export const sql = (texts: TemplateStringsArray, ...holes: readonly (Bound | Sql)[]): Sql => {
  const written: string[] = [];
  const values: Bound[] = [];
  const relations = new Set<string>();
  let last = texts[0] ?? '';
  holes.forEach((hole, index) => {
    const [first = '', ...rest] = hole instanceof Bound ? ['', ''] : hole.texts;
    values.push(...(hole instanceof Bound ? [hole] : hole.values));
    if (hole instanceof Sql) for (const relation of hole.relations) relations.add(relation);
    last += first;
    for (const text of rest) {
      written.push(last);
      last = text;
    }
    last += texts[index + 1] ?? '';
  });
  return new Sql([...written, last], values, relations);
};

export const bind = (type: BoundType, value: unknown): Bound => new Bound(type, value);

const joined = (parts: readonly Sql[], between: Sql): Sql =>
  parts.reduce((all, part, index) => (index === 0 ? part : sql`${all}${between}${part}`), sql``);

/** Conditions that must all hold; those that are undefined are left out. */
export const joinWithAnd = (conditions: readonly (Sql | undefined)[]): Sql => {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0 ? sql`1` : joined(given, sql` AND `);
};

/** Conditions of which one must hold. */
export const joinWithOr = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`0` : sql`(${joined(conditions, sql` OR `)})`;

export const joinWithCommas = (parts: readonly Sql[]): Sql => joined(parts, sql`, `);

const plain = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A name that the house gave: of a table, a column or an alias. Anything else is a mistake in our own code. */
const identifier = (name: string, relation?: string): Sql => {
  if (!plain.test(name)) throw new Error(`not a name: ${name}`);
  return new Sql([name], [], new Set(relation === undefined ? [] : [relation]));
};

/** The view over the live generation of a table. */
export const liveViewName = ({ name }: Pick<TableDefinition, 'name'>): Sql => identifier(`${name}_live`, name);

/** The table of one generation, with every version of each row. */
export const tableName = (table: Pick<TableDefinition, 'name'>, generation: number): Sql =>
  identifier(generationTable(table, generation), table.name);

/** The rows that stand in a generation of a table; without one, in that which is live when the query is read. */
export const currentRows = (table: Pick<TableDefinition, 'name'>, generation: number | undefined): Sql =>
  generation === undefined ? liveViewName(table) : sql`${tableName(table, generation)} FINAL`;

/** The SQL expression of a column, under the column's name. */
export const selectColumn = ({ sql: expression, name }: { readonly sql: string; readonly name: string }): Sql =>
  sql`${new Sql([expression], [])} AS ${identifier(name)}`;

/** An instant as ClickHouse has it; the millisecond count keeps every year exact. */
export const instantSql = (ms: number): Sql => sql`fromUnixTimestamp64Milli(${bind('Int64', ms)}, 'UTC')`;
