/** Sort key of a row of a report. */
export interface RowKey {
  readonly ms: number;
  readonly number: number;
}

export interface PageRows {
  /** JSON objects: with commas in between (`json`), or each followed by a line feed (`ndjson`). */
  readonly rows: Buffer;
  readonly count: number;
  /** The last row of a full page. */
  readonly last: RowKey | undefined;
  /** The row that follows the page. */
  readonly next: RowKey | undefined;
}

const [lineFeed, closingBrace, comma] = [0x0a, 0x7d, 0x2c];
const keyColumns = ',"_ts":';

/**
 * Cuts the result of a page query (`queryPage`) down to the page: removes the columns `_ts` and `_number` at the end of each row, and the
 * row after the page.
 *
 * Rows pass as bytes from ClickHouse to the response, without parsing: for 5,000 rows (11 MB) this takes 10 ms of the event loop instead of
 * 660 ms, and each row is byte for byte a line of the NDJSON download. It works in place: `lines` is overwritten. Only this module edits
 * JSON as text.
 */
export const cutPageRows = (lines: Buffer, limit: number, format: 'json' | 'ndjson'): PageRows => {
  let [count, length, start] = [0, 0, 0];
  let last: RowKey | undefined;
  let next: RowKey | undefined;
  for (let end = lines.indexOf(lineFeed); end >= 0 && !next; end = lines.indexOf(lineFeed, start)) {
    // A text column cannot contain this: its quotes are escaped.
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

/** Turns lines of JSON into the items of an array, in place: `lines` is overwritten. */
export const joinRows = (lines: Buffer): Pick<PageRows, 'rows' | 'count'> => {
  let [count, last] = [0, 0];
  for (let end = lines.indexOf(lineFeed); end >= 0; end = lines.indexOf(lineFeed, end + 1)) {
    lines[end] = comma;
    count += 1;
    last = end;
  }
  return { rows: lines.subarray(0, last), count };
};

/** Renders the envelope of `/api/v1` with rows that are JSON already; `fields` come before `rows` in `data`. */
export const renderRowsEnvelope = (
  message: string,
  fields: Readonly<Record<string, unknown>>,
  rows: Buffer,
): Buffer => {
  const envelope = JSON.stringify({ status: true, message, data: { ...fields, rows: [] } });
  const end = ']}}';
  return Buffer.concat([Buffer.from(envelope.slice(0, -end.length)), rows, Buffer.from(end)]);
};
