import { z } from 'zod';
import { Instant } from '../time/index.ts';

/** An earlier schema version of an event and the function that converts its data to the next version. */
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
  /** The event type as stored in the log. */
  readonly type: Type;
  readonly about: string;
  readonly schema: Schema;
  readonly example: z.output<Schema>;
  readonly upcasters: readonly Upcaster[];
  /** The current schema version. Versions start at 1. */
  readonly version: number;
  /**
   * Converts stored data of any schema version to the current one and validates it. Throws if the schema version is newer than
   * the current one.
   */
  readonly read: (stored: unknown, version: number) => z.output<Schema>;
}

export type DataOf<Definition extends EventDefinition> = Definition['example'];

/** The type of an event, and its data in the current schema version. */
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
    if (from > version)
      throw new Error(
        `a newer release wrote ${type} with schema version ${from}; this release reads up to version ${version}`,
      );
    return schema.parse(past.slice(from - 1).reduce((data, step) => step.upcast(data), stored));
  };
  return { type, about, schema, example: schema.parse(example), upcasters: past, version, read };
};

/** The metadata that every event has. */
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

/** An event on the message bus; its subject is `popsvc.events.{network or 0}.{type}`. */
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
