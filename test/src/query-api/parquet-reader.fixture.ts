import { parquetMetadataAsync, parquetReadObjects, type SchemaElement } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

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
    columns.push({ name, type: children ? `[${typeOf(elements[at + 2]!)}]` : typeOf(elements[at]!) });
  }
  return columns;
};

const typeOf = ({ type, converted_type: converted }: SchemaElement): string => converted ?? type ?? 'none';

const withNumbers = (row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value,
    ]),
  );
