import { openPiece, type Pieces, UnreadableFile } from './rows.ts';

/** First bytes of what vendors upload instead of text. */
const disguises: readonly (readonly [what: string, first: readonly number[]])[] = [
  ['compressed with gzip', [0x1f, 0x8b]],
  ['a ZIP archive', [0x50, 0x4b, 0x03, 0x04]],
  ['compressed with zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['compressed with bzip2', [0x42, 0x5a, 0x68]],
  ['compressed with xz', [0xfd, 0x37, 0x7a, 0x58]],
  ['UTF-16 text', [0xff, 0xfe]],
  ['UTF-16 text', [0xfe, 0xff]],
];
const mark = [0xef, 0xbb, 0xbf];
const longestFirst = 4;

const startsWith = (bytes: Uint8Array, first: readonly number[]): boolean =>
  first.every((byte, index) => bytes[index] === byte);

const isBlank = (bytes: Uint8Array): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);

const checked = (head: Buffer): Buffer => {
  const disguise = disguises.find(([, first]) => startsWith(head, first));
  if (disguise) throw new UnreadableFile(`The file is ${disguise[0]}; it must be plain text in UTF-8.`);
  return startsWith(head, mark) ? head.subarray(mark.length) : head;
};

/** Larger chunks are cut, so that a batch of rows stays small whoever reads the file. */
const chunkBytes = 65_536;

async function* smallChunks(file: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  for await (const { buffer, byteOffset, byteLength } of file)
    for (let at = 0; at < byteLength; at += chunkBytes)
      yield Buffer.from(buffer, byteOffset + at, Math.min(chunkBytes, byteLength - at));
}

/** The bytes of a text file without its byte order mark. Refuses what is no plain text, and a file with nothing in it. */
export async function* plainBytes(file: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  const seen = { head: Buffer.alloc(0), isChecked: false, text: false };
  const told = (bytes: Buffer): Buffer => {
    seen.text ||= !isBlank(bytes);
    return bytes;
  };
  for await (const bytes of smallChunks(file)) {
    if (seen.isChecked) yield told(bytes);
    else {
      seen.head = Buffer.concat([seen.head, bytes]);
      seen.isChecked = seen.head.length >= longestFirst;
      if (seen.isChecked) yield told(checked(seen.head));
    }
  }
  if (!seen.isChecked) yield told(checked(seen.head));
  if (!seen.text) throw new UnreadableFile('The file is empty.');
}

const lineFeed = 0x0a;

/** A carriage return before the line feed is no part of what the line says. */
export const withoutReturn = (line: Buffer): Buffer => (line.at(-1) === 0x0d ? line.subarray(0, -1) : line);

/** Lines without their line feed, empty ones too; undefined stands for one that is too long. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  mostBytes: number,
): AsyncGenerator<Pieces<Buffer | undefined>, void, void> {
  const line = openPiece(mostBytes + 1);
  const close = (last: Buffer): Buffer | undefined => {
    const whole = line.close(last);
    return whole && withoutReturn(whole).length > mostBytes ? undefined : whole;
  };
  let bytesRead = 0;
  for await (const chunk of chunks) {
    bytesRead += chunk.length;
    const pieces: (Buffer | undefined)[] = [];
    let at = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, at)) {
      pieces.push(close(chunk.subarray(at, end)));
      at = end + 1;
    }
    line.add(chunk.subarray(at));
    yield { pieces, bytesRead };
  }
  if (line.isOpen()) yield { pieces: [close(Buffer.alloc(0))], bytesRead };
}
