import { reportLimits, withEnvelope } from '@popsvc/contracts/responses';
import { coffeeDataset, type Dataset, type DatasetColumn, watcherSummaryDataset } from '@popsvc/read-models/datasets';
import { type DerivedTable, derivedCoffee, derivedWatcherSummary } from '@popsvc/read-models/tables';
import { z } from 'zod';
import { type DownloadQuery, downloadQuerySchema, type PageQuery, pageQuerySchema } from './request.ts';

export interface Report {
  readonly dataset: Dataset;
  readonly pageQuery: PageQuery;
  readonly downloadQuery: DownloadQuery;
  /** OpenAPI operation ids. `changes` follows a verb, as in `listCoffeeChanges`. */
  readonly operations: { readonly page: string; readonly download: string; readonly changes: string };
  readonly derived: DerivedTable;
  /** Column with the `key` of a change; undefined if the report does not show the key. */
  readonly keyColumn: string | undefined;
  readonly rowSchema: z.ZodObject;
  readonly pageSchema: z.ZodObject;
}

const valueSchemas: Readonly<Record<DatasetColumn['valueKind'], () => z.ZodType>> = {
  whole: () => z.int(),
  fraction: () => z.number(),
  text: () => z.string(),
  truth: () => z.boolean(),
  instant: () => z.iso.datetime({ offset: true }),
  day: () => z.iso.date(),
  texts: () => z.array(z.string()),
  instants: () => z.array(z.string()),
  fractions: () => z.array(z.number()),
};

const valueSchemaOf = ({ valueKind, vocabulary }: DatasetColumn): z.ZodType =>
  vocabulary ? z.enum(vocabulary as [string, ...string[]]) : valueSchemas[valueKind]();

const columnSchema = (column: DatasetColumn): z.ZodType => {
  const schema = valueSchemaOf(column);
  return (column.isNullable ? schema.nullable() : schema).describe(column.about);
};

const rowSchema = ({ columns, about }: Dataset, id: string): z.ZodObject =>
  z
    .object(Object.fromEntries(columns.map((column) => [column.name, columnSchema(column)])))
    .meta({ id, description: about });

const { min: minLimit, max: maxLimit } = reportLimits.limit;

const pageSchema = (row: z.ZodObject, id: string) =>
  withEnvelope(
    z.object({
      total: z.int().min(0).describe('Rows of the whole window, on every page.'),
      limit: z
        .int()
        .min(minLimit)
        .max(maxLimit)
        .describe('Maximum number of rows of a page, as requested or by default.'),
      next_after: z
        .string()
        .nullable()
        .describe(
          'Value of `after` for the next page; null on the last page. It may have 19 digits after the second: send all of them.',
        ),
      count: z.int().min(0).describe('Rows of this page; `limit` on every page but the last.'),
      rows: z.array(row).describe('In the order of `sort`.'),
    }),
  ).meta({ id });

const [coffeeRow, watcherRow] = [
  rowSchema(coffeeDataset, 'CoffeeRow'),
  rowSchema(watcherSummaryDataset, 'WatcherSummaryRow'),
];

export const reports: readonly Report[] = [
  {
    dataset: coffeeDataset,
    pageQuery: pageQuerySchema({ time: coffeeDataset.time, acceptsDates: true }),
    downloadQuery: downloadQuerySchema({ time: coffeeDataset.time, acceptsDates: true }),
    keyColumn: 'DETAILID',
    operations: { page: 'getCoffee', download: 'downloadCoffee', changes: 'CoffeeChanges' },
    derived: derivedCoffee,
    rowSchema: coffeeRow,
    pageSchema: pageSchema(coffeeRow, 'CoffeePage'),
  },
  {
    dataset: watcherSummaryDataset,
    pageQuery: pageQuerySchema({ time: watcherSummaryDataset.time, acceptsDates: false }),
    downloadQuery: downloadQuerySchema({ time: watcherSummaryDataset.time, acceptsDates: false }),
    keyColumn: undefined,
    operations: {
      page: 'getWatcherSummary',
      download: 'downloadWatcherSummary',
      changes: 'WatcherSummaryChanges',
    },
    derived: derivedWatcherSummary,
    rowSchema: watcherRow,
    pageSchema: pageSchema(watcherRow, 'WatcherSummaryPage'),
  },
];
