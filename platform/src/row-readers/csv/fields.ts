import { parse } from 'csv-parse/sync';

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
export const fieldsOf = (records: readonly string[]): readonly (readonly string[] | undefined)[] => {
  const quoted = records.filter((record) => record.includes('"'));
  const answers = quoted.length > 0 ? parsedEach(quoted) : [];
  let next = 0;
  // Without a quote the grammar is nothing but commas: five times as fast as a parser.
  return records.map((record) => (record.includes('"') ? answers[next++] : record.split(',')));
};
