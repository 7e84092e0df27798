import { allEvents, type EventDefinition, EventMetadata } from '@popsvc/contracts/events';
import { z } from 'zod';
import { code, codeList, fenced, page, table } from './markdown.ts';

type Schema = z.core.JSONSchema.JSONSchema;

interface SchemaField {
  /** Path of the field, such as `watches[].startedAt`. */
  readonly path: string;
  readonly type: string;
  readonly optional: boolean;
  readonly about: string;
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

const describeType = (schema: Schema): string => {
  const { type, format, items, enum: values } = schema;
  if (values) return codeList(values.map(String));
  if (format === 'date-time') return 'instant';
  if (type === 'array') return isSchema(items) && !Array.isArray(items) ? `array of ${describeType(items)}` : 'array';
  return typeof type === 'string' ? type : 'any';
};

const nestedFields = (path: string, schema: Schema): SchemaField[] => {
  const { properties, items } = schema;
  if (properties) return fieldsIn(`${path}.`, schema);
  return isSchema(items) && !Array.isArray(items) ? nestedFields(`${path}[]`, items) : [];
};

const fieldsIn = (before: string, { properties = {}, required = [] }: Schema): SchemaField[] =>
  Object.entries(properties).flatMap(([name, schema]) => {
    if (!isSchema(schema)) return [];
    const path = `${before}${name}`;
    const optional = !required.includes(name);
    return [
      { path, type: describeType(schema), optional, about: schema.description ?? '' },
      ...nestedFields(path, schema),
    ];
  });

/** Lists the fields of a zod object, including those of nested objects and arrays. */
const listFields = (schema: z.ZodType): readonly SchemaField[] =>
  fieldsIn('', z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }));

/** Returns the fields as table rows: field, type, meaning. */
const fieldRows = (schema: z.ZodType): readonly (readonly string[])[] =>
  listFields(schema).map(({ path, type, optional, about }) => [
    code(path),
    optional ? `${type}, optional` : type,
    about,
  ]);

const fieldColumns = ['Field', 'Type', 'Meaning'];

const json = (value: unknown): string => fenced('json', JSON.stringify(value, null, 2));

const describeOlderVersions = ({ type, upcasters: upcasters }: EventDefinition): readonly string[] =>
  upcasters.flatMap(({ schema, example }, index) => [
    `#### ${type}, version ${index + 1}`,
    table(fieldColumns, fieldRows(schema)),
    json(example),
  ]);

/**
 * Builds the section for one or more events. Events with the same schema, such as the three events of a registry kind, share a
 * section.
 */
const describeEvents = (events: readonly EventDefinition[]): readonly string[] => {
  const [first] = events;
  if (!first) return [];
  return [
    `## ${events.map(({ type }) => type).join(', ')}`,
    table(
      ['Stored name', 'Version', 'Meaning'],
      events.map(({ type, version, about }) => [`\`${type}\``, String(version), about]),
    ),
    table(fieldColumns, fieldRows(first.schema)),
    json(first.example),
    ...events.flatMap(describeOlderVersions),
  ];
};

const groupBySchema = (): readonly (readonly EventDefinition[])[] => {
  const bySchema = new Map<unknown, EventDefinition[]>();
  for (const event of allEvents) bySchema.set(event.schema, [...(bySchema.get(event.schema) ?? []), event]);
  return [...bySchema.values()];
};

export const eventsPage = (): string =>
  page('Events', '`contracts/src/events`', [
    'The events in the log. The stored name is part of the storage format and never changes. Upcasters convert older versions of an event to the current version when it is read.',
    '## Metadata of every event',
    table(fieldColumns, fieldRows(EventMetadata)),
    ...groupBySchema().flatMap(describeEvents),
  ]);
