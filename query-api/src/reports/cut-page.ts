import { nextAfter, type PageFormat, type Place } from '../asked/index.ts';

export interface Page {
  /** JSON objects with commas between them, or each with a line end after it. */
  readonly rows: Buffer;
  readonly count: number;
  readonly nextAfter: string | null;
}

const [lineEnd, closing, comma] = [0x0a, 0x7d, 0x2c];
const hidden = ',"_ts":';

/**
 * Cuts the answer of `pageQuery` down to the page, without parsing rows: each loses its hidden columns at the end, and the row
 * past the page gives the cursor. It works in place, for pages are megabytes: `lines` is the page's afterwards.
 */
export const cutPage = (lines: Buffer, limit: number, format: PageFormat): Page => {
  let [count, length, start] = [0, 0, 0];
  let last: Place | undefined;
  let next: Place | undefined;
  for (let end = lines.indexOf(lineEnd); end >= 0 && !next; end = lines.indexOf(lineEnd, start)) {
    const cut = lines.lastIndexOf(hidden, end);
    if (count === limit) next = placeOf(lines, cut, end);
    else {
      count += 1;
      if (count === limit) last = placeOf(lines, cut, end);
      if (length > 0 && format === 'json') lines[length++] = comma;
      lines.copyWithin(length, start, cut);
      length += cut - start;
      lines[length++] = closing;
      if (format === 'ndjson') lines[length++] = lineEnd;
    }
    start = end + 1;
  }
  return { rows: lines.subarray(0, length), count, nextAfter: last ? nextAfter(last, next) : null };
};

const placeOf = (lines: Buffer, cut: number, end: number): Place => {
  const { _ts, _number } = JSON.parse(`{${lines.toString('latin1', cut + 1, end)}`) as { _ts: number; _number: number };
  return { ms: _ts, number: _number };
};
