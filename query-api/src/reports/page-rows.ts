import { setImmediate as nextTurn } from 'node:timers/promises';
import { RowBinaryReader } from '@popsvc/platform/clickhouse';
import type { PageBuffer } from '../responses/page-buffer.ts';
import { type Dataset, type Names, type ReportRow, unpack } from '@popsvc/read-models/datasets';

export const readRow = (from: RowBinaryReader, { page: { columns } }: Dataset): ReportRow => {
  const ms = from.readInstant();
  const number = from.readNumber();
  const own = columns.slice(0, -1).map(() => from.readText());
  return { ms, number, texts: own.concat(unpack(from.readText())) };
};

export const readRows = (rows: Buffer, dataset: Dataset): readonly ReportRow[] => {
  const from = new RowBinaryReader(rows);
  const read: ReportRow[] = [];
  while (!from.isAtEnd) read.push(readRow(from, dataset));
  return read;
};

/** Rows to render before other requests get a turn. */
const rowsOfSlice = 500;

/** Few writes of long texts cost less than many of short ones. */
const charactersOfWrite = 8_192;

export const createRowRenderer = ({ columns }: Dataset, names: Names): ((row: ReportRow) => string) => {
  const cells = columns.map(({ name, render }, index) => ({
    before: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    render,
  }));
  return (row) => {
    let json = '';
    for (const { before, render } of cells) json += before + render(row, names);
    return `${json}}`;
  };
};

export const renderItems = async <Item>(
  items: readonly Item[],
  render: (item: Item) => string,
  { page, between }: { readonly page: Pick<PageBuffer, 'write'>; readonly between: string },
): Promise<void> => {
  let json = '';
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % rowsOfSlice === 0) await nextTurn();
    if (index > 0) json += between;
    json += render(item);
    if (json.length < charactersOfWrite) continue;
    page.write(json);
    json = '';
  }
  page.write(json);
};
