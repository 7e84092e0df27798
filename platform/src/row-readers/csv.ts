import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { type Content, type CsvColumns, type Pieces, tooLong, UnreadableFile } from './rows.ts';
import { linesOf, withoutReturn } from './text-input.ts';

const mostColumns = 1_000;
/** Each row says all names again in the log: with long ones a small file would become a thousand times as large. */
const mostNameBytes = 32_768;
const separators: Readonly<Record<string, string>> = { ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

const refuseOtherSeparators = (fields: readonly string[]): void => {
  const found = fields.length === 1 ? /[;\t|]/.exec(fields[0]!)?.[0] : undefined;
  if (found !== undefined)
    throw new UnreadableFile(`The fields are separated by ${separators[found]}; they must be separated by commas.`);
  if (fields.length > mostColumns) throw new UnreadableFile(`The file has more than ${mostColumns} columns.`);
};

/** Names by the header row. Throws UnreadableFile when they do not tell the columns apart. */
const namesOfHeader = (fields: readonly string[] | undefined): readonly string[] => {
  if (!fields) throw new UnreadableFile('The header row is not CSV.');
  refuseOtherSeparators(fields);
  if (Buffer.byteLength(fields.join('')) > mostNameBytes)
    throw new UnreadableFile(`The names in the header row are longer than ${mostNameBytes} bytes altogether.`);
  const nameless = fields.findIndex((name) => name.trim() === '');
  if (nameless !== -1) throw new UnreadableFile(`Column ${nameless + 1} of the header row has no name.`);
  const twice = fields.find((name, index) => fields.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UnreadableFile(`The header row has the name ${JSON.stringify(twice.slice(0, 100))} twice.`);
  return fields;
};

/** As many names as the first row has fields. */
const numberedNames = (fields: readonly string[]): readonly string[] => {
  refuseOtherSeparators(fields);
  return fields.map((_, index) => `c${index + 1}`);
};

const parsed = (text: string): readonly (readonly string[])[] | undefined => {
  try {
    return parse(text, { relax_column_count: true, record_delimiter: '\n' });
  } catch {
    return undefined;
  }
};

/** Many at a time, because a parser costs more than a record; halved until those that are wrong stand alone. */
const parsedEach = (texts: readonly string[]): readonly (readonly string[] | undefined)[] => {
  const all = parsed(texts.join('\n'));
  if (all?.length === texts.length) return all;
  if (texts.length === 1) return [undefined];
  const middle = texts.length >> 1;
  return [...parsedEach(texts.slice(0, middle)), ...parsedEach(texts.slice(middle))];
};

/** The fields of records, each of which is a row of its own; undefined for one that is not as RFC 4180 has it. */
const fieldsOf = (records: readonly string[]): readonly (readonly string[] | undefined)[] => {
  const quoted = records.filter((record) => record.includes('"'));
  const answers = quoted.length > 0 ? parsedEach(quoted) : [];
  let next = 0;
  // Without a quote the grammar is nothing but commas: five times as fast as a parser.
  return records.map((record) => (record.includes('"') ? answers[next++] : record.split(',')));
};

const quote = 0x22;
const lineFeed = Buffer.from('\n');

/** Whether a quote is still open after the line, if none was before it; `""` inside of quotes closes and opens. */
const leavesQuoteOpen = (line: Buffer): boolean => {
  let open = false;
  for (let at = line.indexOf(quote); at !== -1; at = line.indexOf(quote, at + 1)) open = !open;
  return open;
};

/** A row of a CSV: one line, or several when a quoted field holds line ends. */
type CsvRecord = Buffer | { readonly error: string };

const strayQuote = { error: 'has a quote in the wrong place, or one that is never closed' };

/**
 * Lines put together to records. A quote that is left open takes in the lines after it, until another line closes it; if they are
 * no record that `isRight`, or are longer than a record may be, only the line with the quote is bad, and reading goes on with the
 * next line. So a stray quote costs one row and not the file.
 */
async function* recordsOf(
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

type Names = readonly string[];

const eventOf = (names: Names): ((fields: readonly string[]) => Record<string, string>) => {
  // Assigned, it would set the prototype.
  if (names.includes('__proto__')) return (fields) => Object.fromEntries(names.map((name, at) => [name, fields[at]!]));
  return (fields) => {
    const event: Record<string, string> = {};
    for (let at = 0; at < names.length; at += 1) event[names[at]!] = fields[at]!;
    return event;
  };
};

const readText = (record: CsvRecord): string | { readonly error: string } => {
  if (!Buffer.isBuffer(record)) return record;
  if (!isUtf8(record)) return { error: 'is not UTF-8' };
  return record.includes(0) ? { error: 'holds a NUL character' } : record.toString('utf8');
};

const hasText = (record: CsvRecord): boolean =>
  !Buffer.isBuffer(record) || record.some((byte) => byte > 0x20 || byte === 0);

/** RFC 4180, LF taken as well. A header row with names that do not tell the columns apart throws UnreadableFile. */
export async function* csvRows(
  chunks: AsyncIterable<Buffer>,
  mostBytes: number,
  columns: CsvColumns,
): AsyncGenerator<Pieces<Content>, void, void> {
  let names: Names | undefined;
  let build = eventOf([]);
  const name = (given: Names): void => {
    names = given;
    build = eventOf(given);
  };
  if (typeof columns !== 'string') name(columns);

  const isRight = (record: Buffer): boolean => {
    const text = readText(record);
    const fields = typeof text === 'string' ? fieldsOf([text])[0] : undefined;
    return fields !== undefined && (!names || fields.length === names.length);
  };
  const contentOf = (fields: readonly string[] | undefined): Content | undefined => {
    if (!names && columns === 'header') {
      name(namesOfHeader(fields));
      return undefined;
    }
    if (!fields) return { error: 'has a quote in the wrong place' };
    if (!names) name(numberedNames(fields));
    const wanted = names!.length;
    if (fields.length !== wanted) return { error: `has ${fields.length} fields instead of ${wanted}` };
    return { event: build(fields) };
  };
  /** A header that cannot be read names nothing, and no row after it means anything. */
  const bad = (content: { readonly error: string }): Content => {
    if (!names && columns === 'header') throw new UnreadableFile(`The header row ${content.error}.`);
    return content;
  };

  for await (const { pieces, bytesRead } of recordsOf(chunks, mostBytes, isRight)) {
    const texts = pieces.filter(hasText).map(readText);
    const answers = fieldsOf(texts.filter((text) => typeof text === 'string'));
    const contents: Content[] = [];
    let next = 0;
    for (const text of texts) {
      const content = typeof text === 'string' ? contentOf(answers[next++]) : bad(text);
      if (content) contents.push(content);
    }
    yield { pieces: contents, bytesRead };
  }
}
