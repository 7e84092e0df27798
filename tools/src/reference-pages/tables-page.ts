import { progress } from '@popsvc/read-models/tables';
import { type TableDefinition, type ViewDefinition } from '@popsvc/platform/clickhouse';
import { allProjections } from '@popsvc/projectors/projections';
import { code, page, table } from './markdown.ts';

const keyOf = ({ orderBy, partitionBy, replacing: { version, deleted } }: TableDefinition): string =>
  [
    `Sorted by ${orderBy.map(code).join(', ')}.`,
    partitionBy === undefined ? '' : `Partitioned by ${code(partitionBy)}.`,
    version === undefined ? 'A row told again is the same row.' : `Of one key the highest ${code(version)} stands.`,
    deleted === undefined ? '' : `A row whose ${code(deleted)} is 1 is gone.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');

const section = (definition: TableDefinition): readonly string[] => [
  `### ${definition.name}`,
  definition.about,
  keyOf(definition),
  table(
    ['Column', 'Type', 'Meaning'],
    Object.entries(definition.fields).map(([name, { type, about }]) => [code(name), code(type), about]),
  ),
];

const viewSection = ({ name, about, over, fields }: ViewDefinition): readonly string[] => [
  `### ${name}`,
  `${about} A view over ${code(over.name)}, read as ${code(`${name}_live`)}.`,
  table(
    ['Column', 'Type', 'Meaning'],
    Object.entries(fields).map(([column, { type, about: meaning }]) => [code(column), code(type), meaning]),
  ),
];

export const tablesPage = (): string =>
  page('Tables', '`read-models/src/tables` and `projectors/src/projections/all.ts`', [
    'The physical tables in ClickHouse. Each stands as `{name}_g{generation}`; readers use the view `{name}_live`, which shows the live generation. The same words are comments on the tables and columns themselves.',
    '## Of all projections',
    ...section(progress),
    ...allProjections.flatMap(({ name, tables, views = [] }) => [
      `## Of the projection ${code(name)}`,
      ...tables.flatMap(section),
      ...views.flatMap(viewSection),
    ]),
  ]);
