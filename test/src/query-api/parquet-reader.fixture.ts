import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parquetMetadataAsync, parquetReadObjects, type SchemaElement } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { root } from '../architecture/tree.fixture.ts';

const run = promisify(execFile);

/** Reads a Parquet file with ClickHouse, in a process of its own, and returns the rows of `SELECT {columns}`. */
export const readParquetInClickHouse = async (
  path: string,
  columns: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const query = `SELECT ${columns} FROM file('${path}', Parquet) SETTINGS output_format_json_quote_64bit_integers = 0`;
  const script = `import { query } from 'chdb'; process.stdout.write(query(process.argv[1], 'JSONEachRow'));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script, query], {
    cwd: join(root, 'embedded'),
  });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
};

export interface ParquetFile {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** Reads a Parquet file with a library independent of ClickHouse. Safe 64-bit integers become numbers. */
export const readParquet = async (bytes: Buffer): Promise<ParquetFile> => {
  const file = new Uint8Array(bytes).buffer;
  const metadata = await parquetMetadataAsync(file);
  const rows = await parquetReadObjects({ file, metadata, compressors });
  return { columns: columnsOf(metadata.schema), rows: rows.map(withNumbers) };
};

/** The schema is a tree in depth-first order; a list is a group that contains a group that contains its element. */
const columnsOf = ([, ...elements]: readonly SchemaElement[]): ParquetFile['columns'] => {
  const columns: { name: string; type: string }[] = [];
  for (let at = 0; at < elements.length; at += elements[at]!.num_children ? 3 : 1) {
    const { name, num_children: children } = elements[at]!;
    columns.push({ name, type: children ? `LIST<${typeOf(elements[at + 2]!)}>` : typeOf(elements[at]!) });
  }
  return columns;
};

const logicalTypes: Readonly<Record<string, (element: SchemaElement) => string>> = {
  STRING: () => 'STRING',
  DATE: () => 'DATE',
  TIMESTAMP: ({ logical_type: logical }) =>
    logical?.type === 'TIMESTAMP' ? `TIMESTAMP(${logical.unit}, ${logical.isAdjustedToUTC ? 'UTC' : 'local'})` : '',
};

const typeOf = (element: SchemaElement): string => {
  const { type, logical_type: logical } = element;
  return logicalTypes[logical?.type ?? '']?.(element) ?? type ?? 'none';
};

const withNumbers = (row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value,
    ]),
  );
