import { isUtf8 } from 'node:buffer';
import { findLossyNumbers } from './lossy-numbers.ts';
import { type Content, createPieceBuffer, notUtf8Error, type Pieces, tooLongError, UnreadableFile } from './rows.ts';
import { splitLines } from './text-input.ts';

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const isBlank = (bytes: Buffer | undefined): boolean => bytes?.every(isSpace) === true;

type JsonElement = Buffer | { readonly error: string };

/**
 * Splits the array itself: the streaming parsers of npm hold strings of any length in memory, stop at the first invalid element, and are
 * slower than JSON.parse.
 */
async function* splitElements(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Pieces<JsonElement>, void, void> {
  const element = createPieceBuffer(maxBytes);
  let phase: 'before' | 'inside' | 'after' = 'before';
  let depth = 0;
  let elements = 0;
  let bytesRead = 0;
  let inString = false;
  let escaped = false;
  const notAnArray = (problem: string, at: number) =>
    new UnreadableFile(`The file is not one JSON array: ${problem} at byte ${at + 1}.`);

  for await (const chunk of chunks) {
    const pieces: JsonElement[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]!;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inString = false;
      } else if (phase === 'inside') {
        if (byte === quote) inString = true;
        else if (byte === openObject || byte === openList) depth += 1;
        else if (depth > 0 && (byte === closeObject || byte === closeList)) depth -= 1;
        else if (depth === 0 && (byte === comma || byte === closeList)) {
          const piece = element.close(chunk.subarray(start, at));
          start = at + 1;
          elements += 1;
          if (byte === closeList) phase = 'after';
          // Whitespace between the brackets of an empty array is not an element.
          if (phase === 'inside' || elements > 1 || !isBlank(piece)) pieces.push(piece ?? tooLongError(maxBytes));
        }
      } else if (!isSpace(byte)) {
        if (phase === 'before' && byte === openList) {
          phase = 'inside';
          start = at + 1;
        } else {
          if (pieces.length > 0) yield { pieces, bytesRead };
          const problem = phase === 'before' ? 'it does not begin with [' : 'it continues after the last ]';
          throw notAnArray(problem, bytesRead + at);
        }
      }
    }
    if (phase === 'inside') element.add(chunk.subarray(start));
    bytesRead += chunk.length;
    yield { pieces, bytesRead };
  }
  if (phase !== 'inside') return;
  if (!isBlank(element.close(Buffer.alloc(0))))
    yield { pieces: [{ error: `is cut off: the file ends at byte ${bytesRead}` }], bytesRead };
  throw new UnreadableFile(`The file is truncated: it ends at byte ${bytesRead}, before its array does.`);
}

export const maxJsonDepth = 32;

const halfSurrogate = /\p{Surrogate}/u;
const surrogateEscape = /\\u[dD][89a-fA-F]/;
/** Half of a surrogate pair has no UTF-8 encoding, so two different ids could be stored as the same text. */
const containsHalfSurrogate = (value: unknown): boolean => {
  if (typeof value === 'string') return halfSurrogate.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => halfSurrogate.test(key) || containsHalfSurrogate(inner));
};

interface Findings {
  isTooDeep: boolean;
  hasUnsafeNumber: boolean;
}

const isUnsafe = (value: number): boolean =>
  !Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value));

/** Reading a row spends the most time here after JSON.parse. `for … in` creates no array of keys. */
const inspect = (value: Readonly<Record<string, unknown>>, levels: number, findings: Findings): Findings => {
  for (const key in value) {
    const inner = value[key];
    if (typeof inner === 'number') findings.hasUnsafeNumber ||= isUnsafe(inner);
    else if (typeof inner === 'object' && inner !== null) {
      if (levels === 1) findings.isTooDeep = true;
      else inspect(inner as Record<string, unknown>, levels - 1, findings);
    }
  }
  return findings;
};

/** The message of JSON.parse is not used, because it quotes the content. */
const placeOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : '';
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return ` at character ${Number(position) + 1}`;
  return message.includes('end of JSON') ? ': it ends too early' : '';
};

const parseJsonRow = (bytes: Buffer): Content => {
  if (!isUtf8(bytes)) return notUtf8Error;
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: `is not JSON${placeOf(error)}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { error: 'is not an object' };
  const event = value as Record<string, unknown>;
  const { isTooDeep, hasUnsafeNumber } = inspect(event, maxJsonDepth, { isTooDeep: false, hasUnsafeNumber: false });
  if (isTooDeep) return { error: `is nested deeper than ${maxJsonDepth} levels` };
  if (surrogateEscape.test(text) && containsHalfSurrogate(value)) return { error: 'contains a lone surrogate' };
  if (hasUnsafeNumber && findLossyNumbers(bytes).size > 0)
    return { error: 'contains a number with too many digits; send it as a string' };
  return { event };
};

const rowOf = (piece: JsonElement): Content => {
  if (!Buffer.isBuffer(piece)) return piece;
  return isBlank(piece) ? { error: 'is missing: there is a comma too many' } : parseJsonRow(piece);
};

export async function* readJsonRows(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Pieces<Content>, void, void> {
  for await (const { pieces, bytesRead } of splitElements(chunks, maxBytes))
    yield { pieces: pieces.map(rowOf), bytesRead };
}

const [space, brace] = [0x20, 0x7b];
const isBlankLine = (line: Buffer): boolean => line[0] !== brace && line.every((byte) => byte <= space && byte !== 0);

export async function* readNdjsonRows(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Pieces<Content>, void, void> {
  for await (const { pieces, bytesRead } of splitLines(chunks, maxBytes)) {
    const contents: Content[] = [];
    for (const line of pieces)
      if (!line) contents.push(tooLongError(maxBytes));
      else if (!isBlankLine(line)) contents.push(parseJsonRow(line));
    yield { pieces: contents, bytesRead };
  }
}
