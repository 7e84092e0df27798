import { UnreadableFile } from '../port.ts';

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
export const namesOfHeader = (fields: readonly string[] | undefined): readonly string[] => {
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
export const numberedNames = (fields: readonly string[]): readonly string[] => {
  refuseOtherSeparators(fields);
  return fields.map((_, index) => `c${index + 1}`);
};
