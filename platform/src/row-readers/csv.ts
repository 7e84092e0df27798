import { isUtf8 } from 'node:buffer';
import { CSV_DELIMITERS, type CsvDelimiter } from '@popsvc/contracts/bulk';
import { parse } from 'csv-parse/sync';
import {
  type Content,
  type CsvColumns,
  notUtf8Error,
  type Pieces,
  type RowLines,
  tooLongError,
  UnreadableFile,
} from './rows.ts';
import { splitLines, trimCarriageReturn } from './text-input.ts';

const maxColumns = 1_000;
/** In bytes. Each row becomes an event that contains all names, so long names would multiply the size of the file. */
const maxNameBytes = 32_768;
const separators: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

const rejectOtherSeparators = (fields: readonly string[], delimiter: CsvDelimiter): void => {
  const found = fields.length === 1 ? /[,;\t|]/.exec(fields[0]!)?.[0] : undefined;
  if (found !== undefined && found !== delimiter)
    throw new UnreadableFile(
      `The fields are separated by ${separators[found]}, not by ${separators[delimiter]}; ` +
        'metadata.delimiter may be a comma, a semicolon or a tab.',
    );
  if (fields.length > maxColumns) throw new UnreadableFile(`The file has more than ${maxColumns} columns.`);
};

const headerNames = (fields: readonly string[] | undefined, delimiter: CsvDelimiter): readonly string[] => {
  if (!fields) throw new UnreadableFile('The header row is not CSV.');
  rejectOtherSeparators(fields, delimiter);
  if (Buffer.byteLength(fields.join('')) > maxNameBytes)
    throw new UnreadableFile(`The names in the header row are longer than ${maxNameBytes} bytes in total.`);
  const nameless = fields.findIndex((name) => name.trim() === '');
  if (nameless !== -1) throw new UnreadableFile(`Column ${nameless + 1} of the header row has no name.`);
  const twice = fields.find((name, index) => fields.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UnreadableFile(`The header row has the name ${JSON.stringify(twice.slice(0, 100))} twice.`);
  return fields;
};

const numberedNames = (fields: readonly string[], delimiter: CsvDelimiter): readonly string[] => {
  rejectOtherSeparators(fields, delimiter);
  return fields.map((_, index) => `c${index + 1}`);
};

const parseCsv = (text: string, delimiter: CsvDelimiter): readonly (readonly string[])[] | undefined => {
  try {
    return parse(text, { delimiter, relax_column_count: true, record_delimiter: '\n' });
  } catch {
    return undefined;
  }
};

/** Creating a parser costs more than parsing a record, so many records are parsed at once. */
const parseRecords = (
  records: readonly string[],
  delimiter: CsvDelimiter,
): readonly (readonly string[] | undefined)[] => {
  const all = parseCsv(records.join('\n'), delimiter);
  if (all?.length === records.length) return all;
  if (records.length === 1) return [undefined];
  const middle = records.length >> 1;
  return [...parseRecords(records.slice(0, middle), delimiter), ...parseRecords(records.slice(middle), delimiter)];
};

const fieldsOf = (records: readonly string[], delimiter: CsvDelimiter): readonly (readonly string[] | undefined)[] => {
  const quoted = records.filter((record) => record.includes('"'));
  const parsed = quoted.length > 0 ? parseRecords(quoted, delimiter) : [];
  let next = 0;
  // Splitting records without quotes at their delimiters is five times faster than the parser.
  return records.map((record) => (record.includes('"') ? parsed[next++] : record.split(delimiter)));
};

const quote = 0x22;
const lineFeed = Buffer.from('\n');

/** Each quote opens or closes a field. The escaped quote `""` closes the field and opens it again. */
const leavesQuoteOpen = (line: Buffer): boolean => {
  let open = false;
  for (let at = line.indexOf(quote); at !== -1; at = line.indexOf(quote, at + 1)) open = !open;
  return open;
};

type CsvRecord = Buffer | { readonly bytes: Buffer; readonly lines: RowLines } | { readonly error: string };

const strayQuote = { error: 'has a quote in the wrong place, or one that is never closed' };

/**
 * Joins the lines of quoted fields. If a joined record is invalid or too long, only its first line is rejected, and not the rest.
 */
async function* splitRecords(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  isValid: (record: Buffer) => boolean,
): AsyncGenerator<Pieces<CsvRecord>, void, void> {
  let records: CsvRecord[] = [];
  let openLines: Buffer[] = [];
  let openBytes = 0;
  /** A stack: the last item is the next line. Undefined: a line that is too long. */
  const pending: (Buffer | undefined)[] = [];
  let splitLineCount = 0;

  const addOpenLine = (line: Buffer): void => {
    openLines.push(line);
    openBytes += line.length + 1;
  };
  const clearOpenLines = (): readonly Buffer[] => {
    const lines = openLines;
    openLines = [];
    openBytes = 0;
    return lines;
  };
  const schedule = (lines: readonly (Buffer | undefined)[]): void => {
    for (let at = lines.length - 1; at >= 0; at -= 1) pending.push(lines[at]);
  };
  const rejectFirstLine = (): void => {
    const [, ...later] = clearOpenLines();
    records.push(strayQuote);
    schedule(later);
  };
  const processLine = (line: Buffer | undefined): void => {
    if (openLines.length === 0) {
      if (!line) records.push(tooLongError(maxBytes));
      else if (leavesQuoteOpen(line)) addOpenLine(line);
      else records.push(trimCarriageReturn(line));
    } else if (!line || openBytes + line.length > maxBytes) {
      pending.push(line);
      rejectFirstLine();
    } else {
      addOpenLine(line);
      if (leavesQuoteOpen(line)) closeRecord();
    }
  };
  const closeRecord = (): void => {
    const joined = Buffer.concat(openLines.flatMap((line, index) => (index ? [lineFeed, line] : [line])));
    const record = trimCarriageReturn(joined);
    if (isValid(record)) {
      const to = splitLineCount - pending.length;
      records.push({ bytes: record, lines: { from: to - clearOpenLines().length + 1, to } });
    } else rejectFirstLine();
  };
  const processPending = (): void => {
    while (pending.length > 0) processLine(pending.pop());
  };

  let bytesRead = 0;
  let hasHeader = false;
  for await (const lines of splitLines(chunks, maxBytes)) {
    splitLineCount += lines.pieces.length;
    schedule(lines.pieces);
    // `isValid` needs the header to check later records, so the header is yielded before the lines after it are joined.
    while (!hasHeader && pending.length > 0) {
      processLine(pending.pop());
      hasHeader = records.some(hasText);
      if (!hasHeader) continue;
      yield { pieces: records, bytesRead };
      records = [];
    }
    processPending();
    bytesRead = lines.bytesRead;
    yield { pieces: records, bytesRead };
    records = [];
  }
  while (openLines.length > 0) {
    rejectFirstLine();
    processPending();
  }
  yield { pieces: records, bytesRead };
}

type Names = readonly string[];

const eventBuilder = (names: Names): ((fields: readonly string[]) => Record<string, string>) => {
  // An assignment to a field with the name `__proto__` would set the prototype of the object.
  if (names.includes('__proto__')) return (fields) => Object.fromEntries(names.map((name, at) => [name, fields[at]!]));
  return (fields) => {
    const event: Record<string, string> = {};
    for (let at = 0; at < names.length; at += 1) event[names[at]!] = fields[at]!;
    return event;
  };
};

const readText = (record: CsvRecord): string | { readonly error: string } => {
  if (!Buffer.isBuffer(record)) return 'error' in record ? record : readText(record.bytes);
  if (!isUtf8(record)) return notUtf8Error;
  return record.includes(0) ? { error: 'contains a NUL character' } : record.toString('utf8');
};

const hasText = (record: CsvRecord): boolean =>
  !Buffer.isBuffer(record) || record.some((byte) => byte > 0x20 || byte === 0);

const withLines = (content: Content, record: CsvRecord): Content =>
  Buffer.isBuffer(record) || 'error' in record || 'error' in content ? content : { ...content, lines: record.lines };

/** Throws UnreadableFile if the header row is invalid, the fields have another delimiter, or there are too many columns. */
export async function* readCsvRows(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  columns: CsvColumns,
  delimiter: CsvDelimiter,
): AsyncGenerator<Pieces<Content>, void, void> {
  let names: Names | undefined;
  let buildEvent = eventBuilder([]);
  const setNames = (given: Names): void => {
    names = given;
    buildEvent = eventBuilder(given);
  };
  if (typeof columns !== 'string') setNames(columns);

  const isValid = (record: Buffer): boolean => {
    const text = readText(record);
    const fields = typeof text === 'string' ? fieldsOf([text], delimiter)[0] : undefined;
    return fields !== undefined && (!names || fields.length === names.length);
  };
  const contentOf = (fields: readonly string[] | undefined): Content | undefined => {
    if (!names && columns === 'header') {
      setNames(headerNames(fields, delimiter));
      return undefined;
    }
    if (!fields) return { error: 'has a quote in the wrong place' };
    if (!names) setNames(numberedNames(fields, delimiter));
    const expected = names!.length;
    if (fields.length !== expected) return { error: `has ${fields.length} fields instead of ${expected}` };
    return { event: buildEvent(fields) };
  };
  const invalidRecord = (content: { readonly error: string }): Content => {
    if (!names && columns === 'header') throw new UnreadableFile(`The header row ${content.error}.`);
    return content;
  };

  for await (const { pieces, bytesRead } of splitRecords(chunks, maxBytes, isValid)) {
    const records = pieces.filter(hasText);
    const texts = records.map(readText);
    const parsed = fieldsOf(
      texts.filter((text) => typeof text === 'string'),
      delimiter,
    );
    const contents: Content[] = [];
    let next = 0;
    for (let at = 0; at < texts.length; at += 1) {
      const text = texts[at]!;
      const content = typeof text === 'string' ? contentOf(parsed[next++]) : invalidRecord(text);
      if (content) contents.push(withLines(content, records[at]!));
    }
    yield { pieces: contents, bytesRead };
  }
}

export interface CsvHeader {
  readonly names: readonly string[];
  readonly delimiter: CsvDelimiter;
}

/**
 * If no delimiter is given, chooses the one that yields the most columns. Throws UnreadableFile if the header row is missing or invalid.
 */
export const parseCsvHeader = async (
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  given: CsvDelimiter | undefined,
): Promise<CsvHeader> => {
  const candidates = given ? [given] : CSV_DELIMITERS;
  const parseWithEach = (text: string) =>
    candidates.flatMap((delimiter) => {
      const fields = fieldsOf([text], delimiter)[0];
      return fields ? [{ delimiter, fields }] : [];
    });
  const isValid = (record: Buffer): boolean => {
    const text = readText(record);
    return typeof text === 'string' && parseWithEach(text).length > 0;
  };
  for await (const { pieces } of splitRecords(chunks, maxBytes, isValid)) {
    const record = pieces.find(hasText);
    if (!record) continue;
    const text = readText(record);
    if (typeof text !== 'string') throw new UnreadableFile(`The header row ${text.error}.`);
    const parsed = parseWithEach(text);
    const mostFields = Math.max(...parsed.map(({ fields }) => fields.length));
    const chosen = parsed.find(({ fields }) => fields.length === mostFields);
    const delimiter = chosen?.delimiter ?? candidates[0];
    return { names: headerNames(chosen?.fields, delimiter), delimiter };
  }
  throw new UnreadableFile('The file has no header row.');
};
