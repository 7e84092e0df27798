import { allDatasets } from './all-datasets.ts';
import { code, page, table, words } from './markdown.ts';

export const datasetsPage = (): string =>
  page('Datasets', '`read-models/src/datasets`', [
    'What partners read as pages of JSON and as CSV. A JSON row carries every column; arrays are JSON arrays and unknown is `null`. In CSV an array is JSON text and `null` is empty. Timestamps named `…_SITE_TZ` are in the zone of the site, with its offset.',
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
          column.vocabulary ? words(column.vocabulary) : '',
        ]),
      ),
    ]),
  ]);
