import { readFile } from 'node:fs/promises';
import { CliError } from '../output/cli-error.ts';

/** U+FFFD, the character with which a lenient decoder replaces invalid bytes. */
const replacement = { character: '\uFFFD', bytes: Buffer.from('\uFFFD') };

const findInvalidByte = (bytes: Buffer): number => {
  const text = bytes.toString('utf8');
  let offset = 0;
  let from = 0;
  for (let at = text.indexOf(replacement.character); at !== -1; at = text.indexOf(replacement.character, from)) {
    offset += Buffer.byteLength(text.slice(from, at));
    const end = offset + replacement.bytes.length;
    // The file itself may contain U+FFFD, which is valid.
    if (!bytes.subarray(offset, end).equals(replacement.bytes)) return offset;
    offset = end;
    from = at + 1;
  }
  return bytes.length;
};

const lineFeed = 0x0a;

const notUtf8 = (path: string, bytes: Buffer): CliError => {
  const at = findInvalidByte(bytes);
  const before = bytes.subarray(0, at);
  const line = before.reduce((lines, byte) => lines + Number(byte === lineFeed), 1);
  const inLine = at - before.lastIndexOf(lineFeed);
  return new CliError(
    `${path}:${line}: byte ${inLine} of this line (byte ${at + 1} of the file) is not UTF-8. Save the file as UTF-8.`,
  );
};

/** A lenient decoder would replace invalid bytes, and the service would store the replaced text. */
export const readTextFile = async (path: string): Promise<string> => {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notUtf8(path, bytes);
  }
};
