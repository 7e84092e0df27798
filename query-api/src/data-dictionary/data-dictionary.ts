import { withEnvelope } from '@popsvc/contracts/responses';
import { type Dataset, type Hierarchy, type TypedColumn, typedColumns } from '@popsvc/read-models/datasets';
import { z } from 'zod';

const formats = ['json', 'csv', 'ndjson', 'parquet'] as const;

const hierarchyLevel = z.object({
  hierarchy: z.string().describe('Name of the hierarchy.'),
  level: z.int().min(1).describe('1 is the coarsest.'),
  role: z.enum(['key', 'label']).describe('`key` identifies a member of the level, `label` names it.'),
});

const ColumnDescription = z
  .object({
    name: z.string().describe('Field in JSON, header in CSV, column in Parquet.'),
    type: z
      .enum(['number', 'string', 'float', 'timestamp', 'date', 'boolean', 'array'])
      .describe('Type of the values; an array is a list in JSON and JSON text in CSV.'),
    parquet_type: z.string().describe('Type in Parquet files.'),
    formats: z.array(z.enum(formats)).describe('The formats that have the column.'),
    is_nullable: z
      .boolean()
      .describe('Whether JSON has null and CSV is empty where the value is unknown. Lists are then empty in Parquet.'),
    about: z.string().describe('What the column means.'),
    values: z
      .array(z.string())
      .nullable()
      .describe('All values that the column may have; null if they are not listed.'),
    hierarchies: z.array(hierarchyLevel).describe('The levels of hierarchies that the column identifies or names.'),
  })
  .meta({ id: 'ColumnDescription' });
type ColumnDescription = z.output<typeof ColumnDescription>;

export const DataDictionary = withEnvelope(
  z.object({
    datasets: z
      .array(
        z.object({
          name: z.string().describe('Name of the report, as in paths.'),
          about: z.string().describe('What a row of the report is.'),
          columns: z.array(ColumnDescription).describe('In the order of the columns in files.'),
          hierarchies: z
            .array(
              z.object({
                name: z.string().describe('Name of the hierarchy.'),
                about: z.string().describe('What its levels group rows by.'),
                levels: z
                  .array(
                    z.object({
                      name: z.string().describe('Name of the level.'),
                      key: z.string().describe('Column that identifies a member of the level.'),
                      label: z.string().describe('Column that names the member.'),
                    }),
                  )
                  .describe('From the coarsest to the finest.'),
              }),
            )
            .describe('Columns to drill down by, from the coarsest level to the finest.'),
        }),
      )
      .describe('The reports.'),
  }),
).meta({ id: 'DataDictionary' });
type DataDictionary = z.output<typeof DataDictionary>['data'];

const levelsOf = (hierarchies: readonly Hierarchy[], column: string): ColumnDescription['hierarchies'] =>
  hierarchies.flatMap(({ name, levels }) =>
    levels.flatMap(({ key, label }, index) => {
      const role = key === column ? ('key' as const) : label === column ? ('label' as const) : undefined;
      return role ? [{ hierarchy: name, level: index + 1, role }] : [];
    }),
  );

const describeColumn = (
  { hierarchies }: Dataset,
  { name, type, parquetType, isInText, isNullable, about, vocabulary }: TypedColumn,
): ColumnDescription => ({
  name,
  type,
  parquet_type: parquetType,
  formats: isInText ? [...formats] : ['parquet'],
  is_nullable: isNullable,
  about,
  values: vocabulary ? [...vocabulary] : null,
  hierarchies: levelsOf(hierarchies, name),
});

export const describeDatasets = (datasets: readonly Dataset[]): DataDictionary => ({
  datasets: datasets.map((dataset) => ({
    name: dataset.name,
    about: dataset.about,
    columns: typedColumns(dataset).map((column) => describeColumn(dataset, column)),
    hierarchies: dataset.hierarchies.map(({ name, about, levels }) => ({ name, about, levels: [...levels] })),
  })),
});

const quote = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** RFC 4180. `|` separates the items of a list. */
export const renderDictionaryCsv = ({ datasets }: DataDictionary): string => {
  const rows = datasets.flatMap(({ name: dataset, columns }) =>
    columns.map((column, index) => [
      dataset,
      String(index + 1),
      column.name,
      column.type,
      column.parquet_type,
      column.formats.join('|'),
      String(column.is_nullable),
      column.about,
      (column.values ?? []).join('|'),
      column.hierarchies.map(({ hierarchy, level, role }) => `${hierarchy}.${level}.${role}`).join('|'),
    ]),
  );
  const header = [
    'dataset',
    'position',
    'name',
    'type',
    'parquet_type',
    'formats',
    'is_nullable',
    'about',
    'values',
    'hierarchies',
  ];
  return [header, ...rows].map((row) => `${row.map(quote).join(',')}\r\n`).join('');
};
