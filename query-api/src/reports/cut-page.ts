import { nextAfter, type Place } from '../asked/index.ts';

export interface Page {
  /** JSON objects with commas between them. */
  readonly rows: Buffer;
  readonly count: number;
  readonly nextAfter: string | null;
}

const [lineEnd, closing, comma] = [0x0a, Buffer.from('}'), Buffer.from(',')];
const hidden = ',"_ts":';

/**
 * Cuts the answer of `pageQuery` down to the page, without parsing rows: each loses its hidden columns at the end, and the row
 * past the page gives the cursor.
 */
export const cutPage = (lines: Buffer, limit: number): Page => {
  const pieces: Buffer[] = [];
  let [start, count] = [0, 0];
  let last: Place | undefined;
  let next: Place | undefined;
  for (let end = lines.indexOf(lineEnd); end >= 0 && !next; end = lines.indexOf(lineEnd, start)) {
    const cut = lines.lastIndexOf(hidden, end);
    if (count === limit) next = placeOf(lines, cut, end);
    else {
      if (count > 0) pieces.push(comma);
      pieces.push(lines.subarray(start, cut), closing);
      count += 1;
      if (count === limit) last = placeOf(lines, cut, end);
    }
    start = end + 1;
  }
  return { rows: Buffer.concat(pieces), count, nextAfter: last ? nextAfter(last, next) : null };
};

const placeOf = (lines: Buffer, cut: number, end: number): Place => {
  const { _ts, _number } = JSON.parse(`{${lines.toString('latin1', cut + 1, end)}`) as { _ts: number; _number: number };
  return { ms: _ts, number: _number };
};
