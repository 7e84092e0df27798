import { allDatasets, typedColumns } from '@popsvc/read-models/datasets';
import { columnsOf, type TableDefinition, type ViewDefinition } from '@popsvc/platform/clickhouse';
import { allProjections } from '@popsvc/projectors/projections';
import { analystErrors, analystViews, datasetColumns } from '@popsvc/read-models/analysts';
import { progressOf } from '@popsvc/read-models/tables';
import { queryApiDescription } from '@popsvc/query-api/service';
import { code, codeList, json, page, table } from './markdown.ts';

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
    Object.entries(columnsOf(definition)).map(([name, { type, about }]) => [code(name), code(type), about]),
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
    'The tables in ClickHouse. Each table is stored as `{name}_g{generation}`; readers use the view `{name}_live`, which shows the live generation. Analysts may read neither: they have [views of their own](analysts.md). The same descriptions are comments on the tables and columns.',
    ...allProjections.flatMap(({ name, tables, views = [] }) => [
      `## Projection ${code(name)}`,
      ...tableSection(progressOf(name)),
      ...tables.flatMap(tableSection),
      ...views.flatMap(viewSection),
    ]),
  ]);

/** The first row of the page that the tests recorded. */
const exampleRow = (operationId: string): unknown => {
  const response = queryApiDescription.responseExamples?.[operationId]?.['200 application/json'];
  return (response as { readonly data: { readonly rows: readonly unknown[] } }).data.rows[0];
};
const pageOperations: Readonly<Record<string, string>> = {
  coffee: 'getCoffee',
  'watcher-summary': 'getWatcherSummary',
};

export const datasetsPage = (): string =>
  page('Datasets', '`read-models/src/datasets`', [
    'Partners read datasets as pages of JSON and as CSV, NDJSON and Parquet files. A JSON row has every column; arrays are JSON arrays, and an unknown value is `null`. In CSV, an array is JSON text, and `null` is empty. The times of a row have the offset of the site’s time zone; those whose meaning says UTC end in `Z`. `GET /api/v1/data-dictionary` returns the content of this page as JSON or CSV.',
    '**Null** is `yes` if the value may be unknown. **Parquet** says whether a `number` has decimals: `INT64` or `DOUBLE`; a `float` always may. In Parquet, a timestamp is an instant in UTC, and two more columns contain its local time and its offset. A list that is `null` in JSON is empty. The columns without a number are only in Parquet.',
    'The guide for partners [defines impression, glance, view, view-through, watched and presence](../guides/partners.md#metric-definitions) in one place.',
    ...allDatasets.flatMap((dataset) => [
      `## ${dataset.name}`,
      `${dataset.about} \`from\`, \`to\`, \`sort\` and \`after\` refer to the ${dataset.time}.`,
      `${dataset.columns.length} columns, ${typedColumns(dataset).length} in Parquet.`,
      table(
        ['#', 'Column', 'Type', 'Parquet', 'Null', 'Meaning', 'One of'],
        typedColumns(dataset).map(({ name, type, parquetType, isNullable, about, vocabulary }) => [
          positionOf(dataset, name),
          code(name),
          type,
          code(parquetType),
          isNullable ? 'yes' : '',
          about,
          vocabulary ? codeList(vocabulary) : '',
        ]),
      ),
      `### A row of ${dataset.name}`,
      json(exampleRow(pageOperations[dataset.name]!)),
      `### Hierarchies of ${dataset.name}`,
      'Columns to drill down by, from the coarsest level to the finest. The key identifies a member of a level, and the label names it.',
      table(
        ['Hierarchy', 'Levels: key, label', 'Meaning'],
        dataset.hierarchies.map(({ name, about, levels }) => [
          name,
          levels.map(({ key, label }) => (key === label ? code(key) : `${code(key)}, ${code(label)}`)).join(' → '),
          about,
        ]),
      ),
    ]),
  ]);

const positionOf = ({ columns }: (typeof allDatasets)[number], name: string): string => {
  const index = columns.findIndex((column) => column.name === name);
  return index < 0 ? '' : String(index + 1);
};

const analystViewTable = ({ name, columns }: (typeof analystViews)[number]): string => {
  const same = datasetColumns[name];
  return table(
    ['Column', 'Type', 'Meaning', ...(same ? [`In [${same.dataset}](datasets.md#${same.dataset})`] : [])],
    Object.entries(columns).map(([column, { type, about: meaning }]) => {
      const inDataset = same?.columns[column];
      return [code(column), code(type), meaning, ...(same ? [inDataset === undefined ? '' : code(inDataset)] : [])];
    }),
  );
};

export const analystsPage = (): string =>
  page('Views for analysts', '`read-models/src/analysts`', [
    'Views in the database `analysts_popsvc`. They show the live generation, and only the networks of the analyst. The same descriptions are comments on the views and columns in ClickHouse. See the [guide for analysts](../guides/analysts.md), and the [errors of queries](#errors-of-queries).',
    ...analystViews.flatMap((view) => [`## ${view.name}`, view.about, analystViewTable(view)]),
    '## Errors of queries',
    'The text of an error begins with its code, such as `Code: 62`. Errors without a code come from the proxy of one machine.',
    table(
      ['Code', 'HTTP', 'Meaning', 'What to do'],
      analystErrors.map(({ codes, statuses, meaning, remedy }) => [
        codes.length === 0 ? 'none' : codeList(codes.map(String)),
        codeList(statuses.map(String)),
        meaning,
        remedy,
      ]),
    ),
  ]);
