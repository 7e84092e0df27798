/** The sort key of a row of a report. */
export interface RowKey {
  readonly ms: number;
  readonly number: number;
}

export interface PageRows {
  /** The rows as JSON objects, with commas between them (`json`) or each followed by a line feed (`ndjson`). */
  readonly rows: Buffer;
  readonly count: number;
  /** The sort key of the last row; undefined unless the page is full. */
  readonly last: RowKey | undefined;
  /** The sort key of the row that follows the page. */
  readonly next: RowKey | undefined;
}

const [lineFeed, closingBrace, comma] = [0x0a, 0x7d, 0x2c];
const keyColumns = ',"_ts":';

/**
 * Reduces the result of a page query (`queryPage`) to the page: removes the last two columns of each row, `_ts` and `_number`,
 * and the row that follows the page.
 *
 * Rows pass from ClickHouse to the response as bytes, without being parsed: for 5,000 rows (11 MB) this takes 10 ms of the
 * event loop instead of 660 ms, and each row equals a line of the NDJSON download byte for byte. The function works in place:
 * `lines` is overwritten. Only this module edits JSON as text.
 */
export const cutPageRows = (lines: Buffer, limit: number, format: 'json' | 'ndjson'): PageRows => {
  let [count, length, start] = [0, 0, 0];
  let last: RowKey | undefined;
  let next: RowKey | undefined;
  for (let end = lines.indexOf(lineFeed); end >= 0 && !next; end = lines.indexOf(lineFeed, start)) {
    // A text column cannot contain the names of these columns with their quotes, since quotes in text are escaped.
    const cut = lines.lastIndexOf(keyColumns, end);
    if (count === limit) next = readRowKey(lines, cut, end);
    else {
      count += 1;
      if (count === limit) last = readRowKey(lines, cut, end);
      if (length > 0 && format === 'json') lines[length++] = comma;
      lines.copyWithin(length, start, cut);
      length += cut - start;
      lines[length++] = closingBrace;
      if (format === 'ndjson') lines[length++] = lineFeed;
    }
    start = end + 1;
  }
  return { rows: lines.subarray(0, length), count, last, next };
};

const readRowKey = (lines: Buffer, cut: number, end: number): RowKey => {
  const { _ts, _number } = JSON.parse(`{${lines.toString('latin1', cut + 1, end)}`) as { _ts: number; _number: number };
  return { ms: _ts, number: _number };
};

/** Converts lines of JSON to the items of an array, in place: `lines` is overwritten. */
export const joinRows = (lines: Buffer): Pick<PageRows, 'rows' | 'count'> => {
  let [count, last] = [0, 0];
  for (let end = lines.indexOf(lineFeed); end >= 0; end = lines.indexOf(lineFeed, end + 1)) {
    lines[end] = comma;
    count += 1;
    last = end;
  }
  return { rows: lines.subarray(0, last), count };
};

/** Renders the envelope of `/api/v1` with rows that are already JSON. In `data`, `fields` come before `rows`. */
export const renderRowsEnvelope = (
  message: string,
  fields: Readonly<Record<string, unknown>>,
  rows: Buffer,
): Buffer => {
  const envelope = JSON.stringify({ status: true, message, data: { ...fields, rows: [] } });
  const end = ']}}';
  return Buffer.concat([Buffer.from(envelope.slice(0, -end.length)), rows, Buffer.from(end)]);
};
