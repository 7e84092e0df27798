import { setImmediate as nextTurn } from 'node:timers/promises';
import { RowBinaryReader } from '@popsvc/platform/clickhouse';
import type { PageBuffer } from '../responses/page-buffer.ts';
import { type Dataset, type Names, type ReportRow, unpack } from '@popsvc/read-models/datasets';

/** Reads the rows of `queryPage`. */
export const readRows = (rows: Buffer, { page: { columns } }: Dataset): readonly ReportRow[] => {
  const from = new RowBinaryReader(rows);
  const read: ReportRow[] = [];
  while (!from.isAtEnd) {
    const ms = from.readInstant();
    const number = from.readNumber();
    const own = columns.slice(0, -1).map(() => from.readText());
    read.push({ ms, number, texts: own.concat(unpack(from.readText())) });
  }
  return read;
};

/** Rows are rendered in slices of this many, and other requests run in between. 5,000 rows take about 50 ms. */
const rowsOfSlice = 500;

/** Fewer writes of longer texts cost less. */
const charactersOfWrite = 8_192;

/** Renders rows as JSON objects, with `between` between them. */
export const renderRows = async (
  rows: readonly ReportRow[],
  { columns }: Dataset,
  names: Names,
  { page, between }: { readonly page: Pick<PageBuffer, 'write'>; readonly between: string },
): Promise<void> => {
  const cells = columns.map(({ name, render }, index) => ({
    before: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    render,
  }));
  let json = '';
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % rowsOfSlice === 0) await nextTurn();
    if (index > 0) json += between;
    for (const { before, render } of cells) json += before + render(row, names);
    json += '}';
    if (json.length < charactersOfWrite) continue;
    page.write(json);
    json = '';
  }
  page.write(json);
};
