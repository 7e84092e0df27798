import { linesOf, withoutReturn } from '../lines.ts';
import { type Pieces, tooLong } from '../pieces.ts';

const quote = 0x22;
const lineFeed = Buffer.from('\n');

/** Whether a quote is still open after the line, if none was before it; `""` inside of quotes closes and opens. */
const leavesQuoteOpen = (line: Buffer): boolean => {
  let open = false;
  for (let at = line.indexOf(quote); at !== -1; at = line.indexOf(quote, at + 1)) open = !open;
  return open;
};

/** A row of a CSV: one line, or several when a quoted field holds line ends. */
export type CsvRecord = Buffer | { readonly error: string };

const strayQuote = { error: 'has a quote in the wrong place, or one that is never closed' };

/**
 * Lines put together to records. A quote that is left open takes in the lines after it, until another line closes it; if they are
 * no record that `isRight`, or are longer than a record may be, only the line with the quote is bad, and reading goes on with the
 * next line. So a stray quote costs one row and not the file.
 */
export async function* recordsOf(
  chunks: AsyncIterable<Buffer>,
  mostBytes: number,
  isRight: (record: Buffer) => boolean,
): AsyncGenerator<Pieces<CsvRecord>, void, void> {
  let records: CsvRecord[] = [];
  /** From a line that left a quote open. */
  let waiting: Buffer[] = [];
  let length = 0;
  /** Lines to be looked at, the next one last. */
  const todo: (Buffer | undefined)[] = [];

  const wait = (line: Buffer): void => {
    waiting.push(line);
    length += line.length + 1;
  };
  const leave = (): readonly Buffer[] => {
    const left = waiting;
    [waiting, length] = [[], 0];
    return left;
  };
  const lookAt = (lines: readonly (Buffer | undefined)[]): void => {
    for (let at = lines.length - 1; at >= 0; at -= 1) todo.push(lines[at]);
  };
  const giveUp = (): void => {
    const [, ...later] = leave();
    records.push(strayQuote);
    lookAt(later);
  };
  const take = (line: Buffer | undefined): void => {
    if (waiting.length === 0) {
      if (!line) records.push(tooLong(mostBytes));
      else if (leavesQuoteOpen(line)) wait(line);
      else records.push(withoutReturn(line));
    } else if (!line || length + line.length > mostBytes) {
      todo.push(line);
      giveUp();
    } else {
      wait(line);
      if (leavesQuoteOpen(line)) close();
    }
  };
  const close = (): void => {
    const record = withoutReturn(Buffer.concat(waiting.flatMap((line, index) => (index ? [lineFeed, line] : [line]))));
    if (isRight(record)) {
      leave();
      records.push(record);
    } else giveUp();
  };
  const takeAll = (): void => {
    while (todo.length > 0) take(todo.pop());
  };

  let bytesRead = 0;
  for await (const lines of linesOf(chunks, mostBytes)) {
    ({ bytesRead } = lines);
    lookAt(lines.pieces);
    takeAll();
    yield { pieces: records, bytesRead };
    records = [];
  }
  while (waiting.length > 0) {
    giveUp();
    takeAll();
  }
  yield { pieces: records, bytesRead };
}
