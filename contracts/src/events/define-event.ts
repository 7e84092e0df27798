import type { z } from 'zod';

/** A past shape of an event, frozen, and how it is lifted into the next one. */
export interface Upcaster {
  readonly schema: z.ZodType;
  readonly example: unknown;
  readonly upcast: (data: unknown) => unknown;
}

export const upcaster = <Schema extends z.ZodType>(
  schema: Schema,
  example: z.input<Schema>,
  to: (data: z.output<Schema>) => unknown,
): Upcaster => ({ schema, example, upcast: (data) => to(schema.parse(data)) });

export interface EventDefinition<Type extends string = string, Schema extends z.ZodType = z.ZodType> {
  /** The stored name, written out; it is the storage format. */
  readonly type: Type;
  readonly about: string;
  readonly schema: Schema;
  readonly example: z.output<Schema>;
  readonly upcasters: readonly Upcaster[];
  /** Counted from the past shapes: the first shape is 1. */
  readonly version: number;
  /** Data as any version stored it, lifted to today's shape and checked. Throws on a version of a newer build. */
  readonly read: (stored: unknown, version: number) => z.output<Schema>;
}

export type DataOf<Definition extends EventDefinition> = Definition['example'];

/** An event as rules and folds see it. */
export interface EventOf<Definition extends EventDefinition> {
  readonly type: Definition['type'];
  readonly data: DataOf<Definition>;
}

export const defineEvent = <const Type extends string, Schema extends z.ZodType>(
  type: Type,
  given: { about: string; schema: Schema; example: z.input<Schema>; past?: readonly Upcaster[] },
): EventDefinition<Type, Schema> => {
  const { about, schema, example, past = [] } = given;
  const version = past.length + 1;
  const read = (stored: unknown, from: number) => {
    if (from > version) throw new Error(`${type} v${from} was written by a newer build; this one knows v${version}`);
    return schema.parse(past.slice(from - 1).reduce((data, step) => step.upcast(data), stored));
  };
  return { type, about, schema, example: schema.parse(example), upcasters: past, version, read };
};
