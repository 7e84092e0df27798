import { type Problem, READINESS_CHECKS } from '@popsvc/contracts/diagnostics';
import { allEvents, type EventDefinition, EventMetadata } from '@popsvc/contracts/events';
import { registryKindNames, registryKinds } from '@popsvc/contracts/registry';
import { allChecks } from '@popsvc/ops-api/server';
import { code, json, page, table } from './markdown.ts';
import { analystsPage, datasetsPage, tablesPage } from './read-models.ts';
import { clickHouseUsersXml } from './clickhouse-users.ts';
import { configurationPage } from './configuration.ts';
import { errorsPage, openApiPages } from './http-api.ts';
import { metricsPage } from './metrics.ts';
import { postmanCollection, postmanEnvironment } from './postman.ts';
import { fieldColumns, fieldRows } from './schema-fields.ts';

const describeOlderVersions = ({ type, upcasters }: EventDefinition): readonly string[] =>
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

const eventsPage = (): string =>
  page('Events', '`contracts/src/events`', [
    'The events in the log. The stored name is part of the storage format and never changes. Upcasters convert older versions of an event to the current version when it is read. Events with a list of items have one version, whose new fields are optional.',
    '## Metadata of every event',
    table(fieldColumns, fieldRows(EventMetadata)),
    ...groupBySchema().flatMap(describeEvents),
  ]);

const registryPage = (): string =>
  page('Registry file', '`contracts/src/registry/registry-file.ts`', [
    'The lists of a registry file, which `popsvc registry apply` applies ([guide](../guides/operators/administer.md#maintain-the-registry)). Each list is optional, and a file with an unknown field is refused.',
    'An entity in the file replaces the registered one as a whole: a field that is omitted is removed or has its default. Entities that the file does not contain stay as they are.',
    ...registryKindNames.flatMap((kind) => [
      `## ${kind}`,
      registryKinds[kind].about,
      table(fieldColumns, fieldRows(registryKinds[kind].schema, 'input')),
    ]),
    `Instants are in ISO 8601, such as ${code('2026-08-01T00:00:00Z')}.`,
  ]);

const adviceText = ({ advice }: Problem): string => (typeof advice === 'string' ? advice : advice('…'));

const checksPage = (): string =>
  page('Checks', '`ops-api/src/diagnostics/checks`', [
    'A check has the same name everywhere: `check` in a finding of `popsvc doctor` and of the overview, the name in `/readyz` and in `popsvc_dependency_up`, the label `check` of an alert. Some problems are trends, which only an [alert](../guides/operators/on-call.md#alerts) can report.',
    '`popsvc doctor` evaluates all checks but `refusals`, which only the overview reports.',
    table(
      ['Check', 'Passes when'],
      allChecks.map(({ name, about }) => [code(name), about]),
    ),
    '## Readiness',
    'A process is not ready while one of its checks fails. `objects`: the store of uploaded files answers. `registry`: the process has read the registry from the log.',
    table(
      ['Process', 'Checks'],
      Object.entries(READINESS_CHECKS).map(([process, names]) => [process, names.map(code).join(', ')]),
    ),
    '## Problems',
    'The severity is that of the finding. An alert has its own: it looks at a trend, the doctor at a moment.',
    table(
      ['Check', 'Problem', 'Severity', 'Begins at', 'What to do'],
      allChecks.flatMap(({ name, problems }) =>
        Object.entries(problems).map(([problem, declared]) => [
          code(name),
          code(problem),
          declared.severity,
          declared.begins ?? '',
          adviceText(declared),
        ]),
      ),
    ),
  ]);

/** Maps the path of each generated file in the repository to the function that builds its content. */
export const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/reference/events.md': eventsPage,
  'docs/reference/datasets.md': datasetsPage,
  'docs/reference/tables.md': tablesPage,
  'docs/reference/analysts.md': analystsPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/checks.md': checksPage,
  'docs/reference/configuration.md': configurationPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/registry.md': registryPage,
  ...openApiPages,
  'docs/reference/postman/popsvc.postman_collection.json': postmanCollection,
  'docs/reference/postman/npm-start.postman_environment.json': postmanEnvironment,
  'deploy/clickhouse/users.xml': clickHouseUsersXml,
};
