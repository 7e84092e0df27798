import { z } from 'zod';
import { Instant } from '../time/index.ts';

/** A former schema version of an event. `upcast` converts its data to the next version. */
interface Upcaster {
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
  readonly type: Type;
  readonly about: string;
  readonly schema: Schema;
  readonly example: z.output<Schema>;
  readonly upcasters: readonly Upcaster[];
  /** Versions start at 1. */
  readonly version: number;
  /** Upcasts and validates stored data. Throws if the data is invalid, or if its version is newer than the current one. */
  readonly read: (stored: unknown, version: number) => z.output<Schema>;
}

export type DataOf<Definition extends EventDefinition> = Definition['example'];

const requireKnownVersion = ({ type, version }: Pick<EventDefinition, 'type' | 'version'>, stored: number): void => {
  if (stored > version)
    throw new Error(
      `a newer release wrote ${type} with schema version ${stored}; this release reads up to version ${version}`,
    );
};

export const defineEvent = <const Type extends string, Schema extends z.ZodType>(
  type: Type,
  given: { about: string; schema: Schema; example: z.input<Schema>; past?: readonly Upcaster[] },
): EventDefinition<Type, Schema> => {
  const { about, schema, example, past = [] } = given;
  const version = past.length + 1;
  const read = (stored: unknown, from: number) => {
    requireKnownVersion({ type, version }, from);
    return schema.parse(past.slice(from - 1).reduce((data, step) => step.upcast(data), stored));
  };
  return { type, about, schema, example: schema.parse(example), upcasters: past, version, read };
};

export const maxEventItems = 1_000;

/** Readers validate each item separately, so that an invalid item does not affect the others. */
export interface ListEventDefinition<
  Type extends string = string,
  Schema extends z.ZodType = z.ZodType,
  Item extends z.ZodType = z.ZodType,
> extends EventDefinition<Type, Schema> {
  /** Does not validate the items. Throws if the data has no list, or if the list has no items or more than `maxEventItems`. */
  readonly splitItems: (stored: unknown) => readonly unknown[];
  readonly itemSchema: Item;
  /** Throws if the item is invalid or the schema version is newer than the current one. */
  readonly readItem: (item: unknown, version: number) => z.output<Item>;
}

export type ItemOf<Definition extends ListEventDefinition> = z.output<Definition['itemSchema']>;

export const isListEvent = (definition: EventDefinition): definition is ListEventDefinition =>
  'splitItems' in definition;

interface ListEvent<Schema extends z.ZodType, Item extends z.ZodType> {
  readonly about: string;
  readonly schema: Schema;
  readonly list: keyof z.output<Schema> & string;
  readonly itemSchema: Item;
  readonly example: z.input<Schema>;
  /** If absent, each element is an item. Neither `element` nor `data`, the fields of the event, is validated. */
  readonly toItem?: (element: unknown, data: Readonly<Record<string, unknown>>, index: number) => unknown;
}

export const defineListEvent = <const Type extends string, Schema extends z.ZodType, Item extends z.ZodType>(
  type: Type,
  { list, itemSchema, toItem, ...given }: ListEvent<Schema, Item>,
): ListEventDefinition<Type, Schema, Item> => {
  const definition = defineEvent(type, given);
  return {
    ...definition,
    itemSchema,
    splitItems(stored) {
      const data = (stored ?? {}) as Readonly<Record<string, unknown>>;
      const elements: unknown = data[list];
      if (!Array.isArray(elements)) throw new Error(`${list}: must be a list`);
      if (elements.length === 0 || elements.length > maxEventItems)
        throw new Error(`${list}: must have 1 to ${maxEventItems} items, has ${elements.length}`);
      return toItem ? elements.map((element, index) => toItem(element, data, index)) : (elements as readonly unknown[]);
    },
    readItem(item, version) {
      requireKnownVersion(definition, version);
      return itemSchema.parse(item);
    },
  };
};

export const EventMetadata = z.object({
  schemaVersion: z.int().min(1).describe('Version of the event schema of the data.'),
  receivedAt: Instant.describe('When the service received the request.'),
  network: z.int().optional().describe('Network of the credential.'),
  vendor: z.string().optional().describe('Vendor code of the API key.'),
  keyId: z.string().optional().describe('Id of the API key, never the key itself.'),
  requestId: z.string().optional(),
  correlationId: z
    .string()
    .optional()
    .describe('The id of the bulk job, else the trace of the request as in `traceparent`.'),
  causationId: z.string().optional(),
});
export type EventMetadata = z.output<typeof EventMetadata>;

/** An event on NATS. Its subject is `popsvc.events.{network or 0}.{type}`. */
export const PublishedEvent = z.object({
  id: z.string().describe('Id of the event; the same when the event is published again.'),
  type: z.string(),
  stream: z.string(),
  revision: z.int().min(0).describe('Revision in its stream.'),
  position: z.string().regex(/^\d+$/).describe('Position in the log.'),
  recorded_at: Instant.describe('When the event was appended to the log.'),
  data: z.unknown().describe('Data as stored, in the schema version given in the metadata.'),
  data_omitted: z
    .literal(true)
    .optional()
    .describe('Present when the event exceeds the message size limit; the log has its data.'),
  metadata: EventMetadata,
});
export type PublishedEvent = z.output<typeof PublishedEvent>;
