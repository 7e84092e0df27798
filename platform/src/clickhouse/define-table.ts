/** A physical column: its ClickHouse type and what it means. */
export interface Field {
  readonly type: string;
  readonly about: string;
  /** When or in which batch the row was made: builds from the same events may differ in it, and still say the same. */
  readonly isIncidental?: true;
}

export interface TableDefinition {
  /** Name without generation; the physical table is `{name}_g{generation}`. */
  readonly name: string;
  readonly about: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly orderBy: readonly string[];
  /** A function of the sort key alone, so that rows which replace each other are always in one partition. */
  readonly partitionBy?: string;
  /** Column that decides which of several rows of one key stands, and the one that marks it as gone. */
  readonly replacing: { readonly version?: string; readonly deleted?: string };
  /** Column whose UTC day tells apart what is compared, where there is one. */
  readonly day?: string;
  readonly indexes?: Readonly<Record<string, string>>;
  readonly granularity?: number;
}

export const field = (type: string, about: string): Field => ({ type, about });

export const incidental = (of: Field): Field => ({ ...of, isIncidental: true });

export const defineTable = <const Definition extends TableDefinition>(definition: Definition): Definition => definition;

/** `coffee_g7`: the table of one generation. */
export const generationTable = ({ name }: Pick<TableDefinition, 'name'>, generation: number): string =>
  `${name}_g${generation}`;
