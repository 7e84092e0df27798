import { isUtf8 } from 'node:buffer';
import type { Content, Pieces } from '../pieces.ts';
import { type CsvColumns, UnreadableFile } from '../port.ts';
import { namesOfHeader, numberedNames } from './column-names.ts';
import { fieldsOf } from './fields.ts';
import { type CsvRecord, recordsOf } from './records.ts';

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
