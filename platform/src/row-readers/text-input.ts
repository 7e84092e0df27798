import { createPieceBuffer, type Pieces, UnreadableFile } from './rows.ts';

/** First bytes of formats that vendors upload by mistake instead of UTF-8 text. */
const otherFormats: readonly (readonly [description: string, magic: readonly number[]])[] = [
  ['compressed with gzip', [0x1f, 0x8b]],
  ['a ZIP archive', [0x50, 0x4b, 0x03, 0x04]],
  ['compressed with zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['compressed with bzip2', [0x42, 0x5a, 0x68]],
  ['compressed with xz', [0xfd, 0x37, 0x7a, 0x58]],
  ['UTF-16 text', [0xff, 0xfe]],
  ['UTF-16 text', [0xfe, 0xff]],
];
const byteOrderMark = [0xef, 0xbb, 0xbf];
const longestMagicBytes = 4;

const startsWith = (bytes: Uint8Array, magic: readonly number[]): boolean =>
  magic.every((byte, index) => bytes[index] === byte);

const isBlank = (bytes: Uint8Array): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);

/** `blank` replaces the byte order mark by three spaces, so that every byte keeps its position in the file. */
type MarkHandling = 'remove' | 'blank';

const checkHead = (head: Buffer, mark: MarkHandling): Buffer => {
  const other = otherFormats.find(([, magic]) => startsWith(head, magic));
  if (other) throw new UnreadableFile(`The file is ${other[0]}; it must be plain text in UTF-8.`);
  if (!startsWith(head, byteOrderMark)) return head;
  const text = head.subarray(byteOrderMark.length);
  return mark === 'remove' ? text : Buffer.concat([Buffer.alloc(byteOrderMark.length, ' '), text]);
};

const chunkBytes = 65_536;

async function* smallChunks(file: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  for await (const { buffer, byteOffset, byteLength } of file)
    for (let at = 0; at < byteLength; at += chunkBytes)
      yield Buffer.from(buffer, byteOffset + at, Math.min(chunkBytes, byteLength - at));
}

async function* withoutMark(file: AsyncIterable<Uint8Array>, mark: MarkHandling): AsyncGenerator<Buffer, void, void> {
  let head = Buffer.alloc(0);
  let isHeadChecked = false;
  for await (const bytes of smallChunks(file)) {
    if (isHeadChecked) yield bytes;
    else {
      head = Buffer.concat([head, bytes]);
      isHeadChecked = head.length >= longestMagicBytes;
      if (isHeadChecked) yield checkHead(head, mark);
    }
  }
  if (!isHeadChecked) yield checkHead(head, mark);
}

/** Throws UnreadableFile if the file is empty, contains only whitespace, or has one of the formats in `otherFormats`. */
export async function* decodedBytes(
  file: AsyncIterable<Uint8Array>,
  mark: MarkHandling,
): AsyncGenerator<Buffer, void, void> {
  let hasText = false;
  for await (const bytes of withoutMark(file, mark)) {
    hasText ||= !isBlank(bytes);
    yield bytes;
  }
  if (!hasText) throw new UnreadableFile('The file is empty.');
}

const lineFeed = 0x0a;

export const trimCarriageReturn = (line: Buffer): Buffer => (line.at(-1) === 0x0d ? line.subarray(0, -1) : line);

export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Pieces<Buffer | undefined>, void, void> {
  const line = createPieceBuffer(maxBytes + 1);
  const close = (last: Buffer): Buffer | undefined => {
    const whole = line.close(last);
    return whole && trimCarriageReturn(whole).length > maxBytes ? undefined : whole;
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
