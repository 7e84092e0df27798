import { DamagedContent, endsEarly } from './decode-stream.ts';

/** Part of a zstd frame (RFC 8878, section 3.1.1). */
export interface FramePart {
  readonly kind: 'header' | 'block' | 'checksum';
  readonly bytes: Buffer;
  readonly endsFrame: boolean;
}

const frameMagic = 0xfd2fb528;
/** The last four bits of the magic number of a skippable frame may have any value. */
const skippableMagic = 0x184d2a50;
const maxBlockBytes = 131_072;

/** Logarithm to base 2 of the largest window, in bytes, that RFC 9659 permits for the content coding zstd. */
export const maxWindowLog = 23;
const maxWindowBytes = 2 ** maxWindowLog;

const damaged = (problem: string): DamagedContent => new DamagedContent(`the compressed data is damaged: ${problem}`);

const createByteReader = (chunks: AsyncIterable<Uint8Array>) => {
  const source = chunks[Symbol.asyncIterator]();
  let held = Buffer.alloc(0);
  const has = async (count: number): Promise<boolean> => {
    const pieces: Uint8Array[] = [held];
    let length = held.length;
    while (length < count) {
      const next = await source.next();
      if (next.done === true) break;
      pieces.push(next.value);
      length += next.value.byteLength;
    }
    if (pieces.length > 1) held = Buffer.concat(pieces);
    return held.length >= count;
  };
  return {
    isAtEnd: async () => !(await has(1)),
    async peek(count: number): Promise<Buffer> {
      if (!(await has(count))) throw endsEarly();
      return held.subarray(0, count);
    },
    async take(count: number): Promise<Buffer> {
      if (!(await has(count))) throw endsEarly();
      const taken = held.subarray(0, count);
      held = held.subarray(count);
      return taken;
    },
    async skip(count: number): Promise<void> {
      let left = count;
      while (left > held.length) {
        left -= held.length;
        held = Buffer.alloc(0);
        if (!(await has(1))) throw endsEarly();
      }
      held = held.subarray(left);
    },
    close: async () => {
      await source.return?.();
    },
  };
};

const parseHeader = (bytes: Buffer): { readonly windowBytes: number; readonly hasChecksum: boolean } => {
  const descriptor = bytes[4]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 ? Number(isSingleSegment) : 2 ** sizeFlag;
  const sizeAt = bytes.length - sizeBytes;
  if ((descriptor & 0x08) !== 0) throw damaged('a reserved bit of a frame header is set');
  if ((descriptor & 0x03) !== 0) throw new DamagedContent('the compressed data needs a dictionary');
  const hasChecksum = (descriptor & 0x04) !== 0;
  if (!isSingleSegment) {
    const window = bytes[5]!;
    const base = 2 ** (10 + (window >> 3));
    return { windowBytes: base + (base / 8) * (window & 7), hasChecksum };
  }
  const contentSize =
    sizeBytes === 8
      ? Number(bytes.readBigUInt64LE(sizeAt))
      : bytes.readUIntLE(sizeAt, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  return { windowBytes: contentSize, hasChecksum };
};

const headerBytes = (descriptor: number): number => {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 0x03]!;
  return 5 + Number(!isSingleSegment) + dictionaryBytes + (sizeFlag === 0 ? Number(isSingleSegment) : 2 ** sizeFlag);
};

/** Each frame and block costs time even without content. A file of 2 GiB usually has about 16,000 blocks. */
const maxParts = 1_000_000;

/** The decoder of Node.js ignores a second frame that begins in the chunk in which the first one ends. */
export async function* splitFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FramePart, void, void> {
  const reader = createByteReader(chunks);
  let parts = 0;
  try {
    if (await reader.isAtEnd()) throw endsEarly();
    while (!(await reader.isAtEnd())) {
      parts += 1;
      const magic = (await reader.peek(4)).readUInt32LE();
      if ((magic & ~0x0f) === skippableMagic) {
        const size = (await reader.take(8)).readUInt32LE(4);
        await reader.skip(size);
      } else if (magic === frameMagic)
        for await (const part of splitFrame(reader)) {
          parts += 1;
          if (parts > maxParts) throw new DamagedContent(`it has more than ${maxParts} frames and blocks`);
          yield part;
        }
      else throw damaged('a frame has an unknown magic number');
      if (parts > maxParts) throw new DamagedContent(`it has more than ${maxParts} frames and blocks`);
    }
  } finally {
    await reader.close();
  }
}

async function* splitFrame(reader: ReturnType<typeof createByteReader>): AsyncGenerator<FramePart, void, void> {
  const descriptor = (await reader.peek(5))[4]!;
  const header = await reader.take(headerBytes(descriptor));
  const { windowBytes, hasChecksum } = parseHeader(header);
  if (windowBytes > maxWindowBytes)
    throw new DamagedContent(
      `it was compressed with a window of ${windowBytes} bytes; the maximum is ${maxWindowBytes} (RFC 9659)`,
    );
  yield { kind: 'header', bytes: header, endsFrame: false };
  for (let isLast = false; !isLast;) {
    const blockHeader = (await reader.peek(3)).readUIntLE(0, 3);
    isLast = (blockHeader & 1) === 1;
    const type = (blockHeader >> 1) & 3;
    const size = blockHeader >> 3;
    if (type === 3) throw damaged('a block has a reserved type');
    if (size > maxBlockBytes) throw damaged('a block is too large');
    // A block of type 1 stores one byte, which the decoder repeats.
    const bytes = await reader.take(3 + (type === 1 ? 1 : size));
    yield { kind: 'block', bytes, endsFrame: isLast && !hasChecksum };
  }
  if (hasChecksum) yield { kind: 'checksum', bytes: await reader.take(4), endsFrame: true };
}
