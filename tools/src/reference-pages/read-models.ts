import * as datasets from '@popsvc/read-models/datasets';
import type { TableDefinition, ViewDefinition } from '@popsvc/platform/clickhouse';
import { allProjections } from '@popsvc/projectors/projections';
import { analystViews } from '@popsvc/read-models/analysts';
import { progress } from '@popsvc/read-models/tables';
import { code, codeList, page, table } from './markdown.ts';

const describeKey = ({ orderBy, partitionBy, replacing: { version, deleted } }: TableDefinition): string =>
  [
    `Sorted by ${orderBy.map(code).join(', ')}.`,
    partitionBy === undefined ? '' : `Partitioned by ${code(partitionBy)}.`,
    version === undefined
      ? 'Rows with the same key are duplicates of one row.'
      : `Of the rows with one key, the one with the highest ${code(version)} is current.`,
    deleted === undefined ? '' : `A row with ${code(deleted)} = 1 is deleted.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');

const tableSection = (definition: TableDefinition): readonly string[] => [
  `### ${definition.name}`,
  definition.about,
  describeKey(definition),
  table(
    ['Column', 'Type', 'Meaning'],
    Object.entries(definition.fields).map(([name, { type, about }]) => [code(name), code(type), about]),
  ),
];

const viewSection = ({ name, about, over, fields }: ViewDefinition): readonly string[] => [
  `### ${name}`,
  `${about} It is a view of ${code(over.name)}; read it as ${code(`${name}_live`)}.`,
  table(
    ['Column', 'Type', 'Meaning'],
    Object.entries(fields).map(([column, { type, about: meaning }]) => [code(column), code(type), meaning]),
  ),
];

export const tablesPage = (): string =>
  page('Tables', '`read-models/src/tables` and `projectors/src/projections/all.ts`', [
    'The tables in ClickHouse. Each table is stored as `{name}_g{generation}`; readers use the view `{name}_live`, which shows the live generation. The same descriptions are comments on the tables and columns.',
    '## All projections',
    ...tableSection(progress),
    ...allProjections.flatMap(({ name, tables, views = [] }) => [
      `## Projection ${code(name)}`,
      ...tables.flatMap(tableSection),
      ...views.flatMap(viewSection),
    ]),
  ]);

/** Every dataset that partners can read. */
export const allDatasets: readonly datasets.Dataset[] = Object.values(datasets);

export const datasetsPage = (): string =>
  page('Datasets', '`read-models/src/datasets`', [
    'Partners read datasets as pages of JSON and as CSV. A JSON row has every column; arrays are JSON arrays, and an unknown value is `null`. In CSV, an array is JSON text, and `null` is empty. Timestamps named `…_SITE_TZ` are in the time zone of the site, with its offset.',
    ...allDatasets.flatMap(({ name, about, columns }) => [
      `## ${name}`,
      about,
      `${columns.length} columns.`,
      table(
        ['#', 'Column', 'Type', 'Meaning', 'One of'],
        columns.map((column, index) => [
          String(index + 1),
          code(column.name),
          column.type,
          column.about,
          column.vocabulary ? codeList(column.vocabulary) : '',
        ]),
      ),
    ]),
  ]);

export const analystsPage = (): string =>
  page('Views for analysts', '`read-models/src/analysts`', [
    'Views in the database `analysts_popsvc`. They show the live generation, and only the networks of the analyst. The same descriptions are comments on the views and columns in ClickHouse. See the [guide for analysts](../guides/analysts.md).',
    ...analystViews.flatMap(({ name, about, columns }) => [
      `## ${name}`,
      about,
      table(
        ['Column', 'Type', 'Meaning'],
        Object.entries(columns).map(([column, { type, about: meaning }]) => [code(column), code(type), meaning]),
      ),
    ]),
  ]);
