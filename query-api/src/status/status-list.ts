const [lineEnd, comma] = [0x0a, 0x2c];

export interface StatusList {
  /** JSON objects with commas between them. */
  readonly rows: Buffer;
  readonly count: number;
}

/**
 * The lines of a query's answer as the items of an array, without parsing them: a network may have tens of thousands. It works
 * in place: `lines` is the list's afterwards.
 */
export const statusList = (lines: Buffer): StatusList => {
  let [count, last] = [0, 0];
  for (let end = lines.indexOf(lineEnd); end >= 0; end = lines.indexOf(lineEnd, end + 1)) {
    lines[end] = comma;
    [count, last] = [count + 1, end];
  }
  return { rows: lines.subarray(0, last), count };
};
