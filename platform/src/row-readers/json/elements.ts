import { openPiece, type Pieces } from '../pieces.ts';
import { UnreadableFile } from '../port.ts';

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

export const isBlank = (bytes: Buffer | undefined): boolean => bytes?.every(isSpace) === true;

/**
 * The elements of one array as bytes, told apart by brackets and quotes alone; undefined stands for one that is too long. By hand,
 * because the streaming parsers of npm hold a string of any length and end the file at the first element that is broken; and
 * JSON.parse, which reads each of these as it reads a line, is two to three times as fast.
 */
export async function* elementsOf(
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
