import { isUtf8 } from 'node:buffer';
import { findLossyNumbers } from './lossy-numbers.ts';
import { type Content, openPiece, type Pieces, tooLong, UnreadableFile } from './rows.ts';
import { linesOf } from './text-input.ts';

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const isBlank = (bytes: Buffer | undefined): boolean => bytes?.every(isSpace) === true;

/**
 * The elements of one array as bytes, told apart by brackets and quotes alone; undefined stands for one that is too long. By hand,
 * because the streaming parsers of npm hold a string of any length and end the file at the first element that is broken; and
 * JSON.parse, which reads each of these as it reads a line, is two to three times as fast.
 */
async function* elementsOf(
  chunks: AsyncIterable<Buffer>,
  mostBytes: number,
): AsyncGenerator<Pieces<Buffer | undefined>, void, void> {
  const element = openPiece(mostBytes);
  let phase: 'before' | 'inside' | 'after' = 'before';
  let [depth, elements, bytesRead] = [0, 0, 0];
  let [inText, escaped] = [false, false];
  const broken = (what: string, at: number) =>
    new UnreadableFile(`The file is not one JSON array: ${what} at byte ${at + 1}.`);

  for await (const chunk of chunks) {
    const pieces: (Buffer | undefined)[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]!;
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inText = false;
      } else if (phase === 'inside') {
        if (byte === quote) inText = true;
        else if (byte === openObject || byte === openList) depth += 1;
        else if (depth > 0 && (byte === closeObject || byte === closeList)) depth -= 1;
        else if (depth === 0 && (byte === comma || byte === closeList)) {
          const piece = element.close(chunk.subarray(start, at));
          start = at + 1;
          elements += 1;
          if (byte === closeList) phase = 'after';
          // An array with nothing in it has no element.
          if (phase === 'inside' || elements > 1 || !isBlank(piece)) pieces.push(piece);
        }
      } else if (!isSpace(byte)) {
        if (phase === 'before' && byte === openList) [phase, start] = ['inside', at + 1];
        else {
          // What was whole before the file broke stands.
          if (pieces.length > 0) yield { pieces, bytesRead };
          const what = phase === 'before' ? 'it does not begin with [' : 'it goes on after the last ]';
          throw broken(what, bytesRead + at);
        }
      }
    }
    if (phase === 'inside') element.add(chunk.subarray(start));
    bytesRead += chunk.length;
    yield { pieces, bytesRead };
  }
  if (phase === 'inside') throw new UnreadableFile('The file is cut: it ends before its array does.');
}

/** How deep JSON may be nested: the body of a request, and each row of a file. */
export const mostLevels = 32;

const halfCharacter = /\p{Surrogate}/u;
const mayHoldHalfCharacters = /\\u[dD][89a-fA-F]/;
/** Half a surrogate pair cannot be written as UTF-8: two different ids would be stored as one. */
const holdsHalfCharacter = (value: unknown): boolean => {
  if (typeof value === 'string') return halfCharacter.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => halfCharacter.test(key) || holdsHalfCharacter(inner));
};

interface Looked {
  deep: boolean;
  /** There is a number that may have been written in more digits than it is kept in: only then the text is looked at. */
  unsafeNumber: boolean;
}

const isUnsafe = (value: number): boolean =>
  !Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value));

/** One walk for all questions, in the way that engines do fastest: most of what a row costs beyond JSON.parse is this. */
const look = (value: Readonly<Record<string, unknown>>, levels: number, into: Looked): Looked => {
  for (const key in value) {
    const inner = value[key];
    if (typeof inner === 'number') into.unsafeNumber ||= isUnsafe(inner);
    else if (typeof inner === 'object' && inner !== null) {
      if (levels === 1) into.deep = true;
      else look(inner as Record<string, unknown>, levels - 1, into);
    }
  }
  return into;
};

/** Where JSON.parse stumbled, if it says so; its own words quote the text, whatever that holds. */
const where = (error: unknown): string => {
  const message = error instanceof Error ? error.message : '';
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return ` at character ${Number(position) + 1}`;
  return message.includes('end of JSON') ? ', it ends too soon' : '';
};

/** What JSON.parse makes of the bytes, if that is an object an event can be. */
const jsonRow = (bytes: Buffer): Content => {
  if (!isUtf8(bytes)) return { error: 'is not UTF-8' };
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: `is not JSON${where(error)}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { error: 'is not an object' };
  const event = value as Record<string, unknown>;
  const { deep, unsafeNumber } = look(event, mostLevels, { deep: false, unsafeNumber: false });
  if (deep) return { error: `is nested deeper than ${mostLevels} levels` };
  if (mayHoldHalfCharacters.test(text) && holdsHalfCharacter(value)) return { error: 'holds half a character' };
  if (unsafeNumber && findLossyNumbers(bytes).size > 0)
    return { error: 'holds a number of too many digits to be kept; it must be sent as text' };
  return { event };
};

const rowOf = (piece: Buffer | undefined, mostBytes: number): Content => {
  if (!piece) return tooLong(mostBytes);
  return isBlank(piece) ? { error: 'is missing: there is a comma too many' } : jsonRow(piece);
};

/** One array of objects. */
export async function* jsonRows(
  chunks: AsyncIterable<Buffer>,
  mostBytes: number,
): AsyncGenerator<Pieces<Content>, void, void> {
  for await (const { pieces, bytesRead } of elementsOf(chunks, mostBytes))
    yield { pieces: pieces.map((piece) => rowOf(piece, mostBytes)), bytesRead };
}

const [space, brace] = [0x20, 0x7b];
const isBlankLine = (line: Buffer): boolean => line[0] !== brace && line.every((byte) => byte <= space && byte !== 0);

/** One object a line. */
export async function* ndjsonRows(
  chunks: AsyncIterable<Buffer>,
  mostBytes: number,
): AsyncGenerator<Pieces<Content>, void, void> {
  for await (const { pieces, bytesRead } of linesOf(chunks, mostBytes)) {
    const contents: Content[] = [];
    for (const line of pieces)
      if (!line) contents.push(tooLong(mostBytes));
      else if (!isBlankLine(line)) contents.push(jsonRow(line));
    yield { pieces: contents, bytesRead };
  }
}
