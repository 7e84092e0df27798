import { allEvents, type EventDefinition, EventMetadata } from '@popsvc/contracts/events';
import { fenced, page, table } from './markdown.ts';
import { fieldRows } from './schema-fields.ts';

const fieldsHead = ['Field', 'Type', 'Meaning'];

const json = (value: unknown): string => fenced('json', JSON.stringify(value, null, 2));

const pastOf = ({ type, upcasters: upcasters }: EventDefinition): readonly string[] =>
  upcasters.flatMap(({ schema, example }, index) => [
    `#### ${type}, version ${index + 1}`,
    table(fieldsHead, fieldRows(schema)),
    json(example),
  ]);

/** Events of one shape, such as the three of a registry kind, are told together. */
const section = (events: readonly EventDefinition[]): readonly string[] => {
  const [first] = events;
  if (!first) return [];
  return [
    `## ${events.map(({ type }) => type).join(', ')}`,
    table(
      ['Stored name', 'Version', 'Tells that'],
      events.map(({ type, version, about }) => [`\`${type}\``, String(version), about]),
    ),
    table(fieldsHead, fieldRows(first.schema)),
    json(first.example),
    ...events.flatMap(pastOf),
  ];
};

const groups = (): readonly (readonly EventDefinition[])[] => {
  const bySchema = new Map<unknown, EventDefinition[]>();
  for (const event of allEvents) bySchema.set(event.schema, [...(bySchema.get(event.schema) ?? []), event]);
  return [...bySchema.values()];
};

export const eventsPage = (): string =>
  page('Events', '`contracts/src/events`', [
    'What stands in the log. The stored name is the storage format and never changes; an older version of an event is lifted to today’s shape when it is read.',
    '## Metadata of every event',
    table(fieldsHead, fieldRows(EventMetadata)),
    ...groups().flatMap(section),
  ]);
