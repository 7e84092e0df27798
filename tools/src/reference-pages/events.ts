import { allEvents, type EventDefinition, EventMetadata } from '@popsvc/contracts/events';
import { fenced, page, table } from './markdown.ts';
import { fieldColumns, fieldRows } from './schema-fields.ts';

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
