const [lineFeed, comma] = [0x0a, 0x2c];

/** Works in place: `lines` is overwritten. */
export const joinRows = (lines: Buffer): { readonly rows: Buffer; readonly count: number } => {
  let [count, last] = [0, 0];
  for (let end = lines.indexOf(lineFeed); end >= 0; end = lines.indexOf(lineFeed, end + 1)) {
    lines[end] = comma;
    count += 1;
    last = end;
  }
  return { rows: lines.subarray(0, last), count };
};

function* splitLines(lines: Buffer): Generator<Buffer> {
  let start = 0;
  for (let end = lines.indexOf(lineFeed); end >= 0; end = lines.indexOf(lineFeed, start)) {
    yield lines.subarray(start, end + 1);
    start = end + 1;
  }
}

const idColumn = /^\{"id":(\d+)/;
const longestIdColumn = '{"id":18446744073709551615'.length;

const readId = (line: Buffer): number => Number(idColumn.exec(line.toString('latin1', 0, longestIdColumn))?.[1]);

/** Each line must begin with the column `id`, and each part must be sorted by it: a single part is returned unchanged. */
export const mergeLinesById = (parts: readonly Buffer[]): Buffer => {
  if (parts.length === 1) return parts[0]!;
  const lines = parts.flatMap((part) => [...splitLines(part)]).map((line) => ({ line, id: readId(line) }));
  return Buffer.concat(lines.sort((one, other) => one.id - other.id).map(({ line }) => line));
};

/** The caller puts the items between `before` and `after`, separated by commas. */
export const rowsEnvelope = (
  message: string,
  fields: Readonly<Record<string, unknown>>,
  list = 'rows',
): { readonly before: string; readonly after: string } => {
  const after = ']}}';
  const envelope = JSON.stringify({ status: true, message, data: { ...fields, [list]: [] } });
  return { before: envelope.slice(0, -after.length), after };
};
