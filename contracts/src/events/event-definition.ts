import { z } from 'zod';
import { Instant } from '../time/index.ts';

/** A past shape of an event, frozen, and how it is lifted into the next one. */
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

/** What every event carries beside its data. */
export const EventMetadata = z.object({
  schemaVersion: z.int().min(1).describe('Version of the event schema the data was written in.'),
  receivedAt: Instant.describe('When the service took the request in.'),
  network: z.int().optional().describe('Network of the credential.'),
  vendor: z.string().optional().describe('Vendor code of the API key.'),
  keyId: z.string().optional().describe('Which API key was used; never the key.'),
  requestId: z.string().optional(),
  correlationId: z
    .string()
    .optional()
    .describe('What it belongs to: a bulk job by its id, else the request in a trace, as `traceparent` writes it.'),
  causationId: z.string().optional(),
});
export type EventMetadata = z.output<typeof EventMetadata>;

/** An event of the log as the bus publishes it, under `popsvc.events.{network or 0}.{type}`. */
export const PublishedEvent = z.object({
  id: z.string().describe('Of the event; the same when it is published again.'),
  type: z.string(),
  stream: z.string(),
  revision: z.int().min(0).describe('Place in its stream.'),
  position: z.string().regex(/^\d+$/).describe('Place in the whole log.'),
  recorded_at: Instant.describe('When the log took it in.'),
  data: z.unknown().describe('As stored, in the version of the schema that the metadata tell.'),
  data_omitted: z.literal(true).optional().describe('The event is larger than a message may be; the log has its data.'),
  metadata: EventMetadata,
});
export type PublishedEvent = z.output<typeof PublishedEvent>;
