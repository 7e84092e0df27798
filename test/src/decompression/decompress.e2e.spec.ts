import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { ContentCoding } from '@popsvc/contracts/bulk';
import { DamagedContent, decodeZstdInJavaScript, decompress, ExpandsTooMuch } from '@popsvc/platform/decompression';
import { expect } from 'chai';
import {
  frame,
  rawBlock,
  repeatBlock,
  repeatedRows,
  rows,
  skippableFrame,
  zstdRepeatedRows,
  zstdRows,
} from './zstd.fixture.ts';

async function* inChunks(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

const collect = async (content: AsyncIterable<Uint8Array>): Promise<string> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces).toString();
};

type Decode = (compressed: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
const decodeAs =
  (coding: ContentCoding): Decode =>
  (compressed) =>
    decompress(compressed, { coding });

const failureOf = async (decode: Decode, bytes: Buffer, size?: number): Promise<string> => {
  try {
    await collect(decode(inChunks(bytes, size)));
  } catch (error) {
    if (error instanceof DamagedContent) return error.message;
    throw error;
  }
  return 'none';
};

const flip = (bytes: Buffer, at: number): Buffer => {
  const damaged = Buffer.from(bytes);
  damaged[at]! ^= 1;
  return damaged;
};

const decoders: readonly (readonly [name: string, decode: Decode, compressed: Buffer])[] = [
  ['gzip', decodeAs('gzip'), gzipSync(rows)],
  ['zstd', decodeAs('zstd'), zstdRows],
  ['zstd in JavaScript', decodeZstdInJavaScript, zstdRows],
];

for (const [name, decode, compressed] of decoders)
  describe(`decompression of ${name}`, () => {
    it('returns the content, for any chunks of the compressed data', async () => {
      for (const size of [1, 2, 7, 100, 65_536])
        expect(await collect(decode(inChunks(compressed, size))), String(size)).to.equal(rows);
    });

    it('continues with further members or frames, in the same chunk and in others', async () => {
      const both = Buffer.concat([compressed, compressed]);
      for (const size of [1, 90, 65_536])
        expect(await collect(decode(inChunks(both, size))), String(size)).to.equal(rows + rows);
    });

    it('rejects data that is truncated at any byte, or empty', async () => {
      for (let end = 0; end < compressed.length; end++)
        expect(await failureOf(decode, compressed.subarray(0, end)), String(end)).to.equal(
          'it ends before the compressed data is complete',
        );
    });

    it('rejects data of which any bit of the last part or the checksum is damaged', async () => {
      for (let at = compressed.length - 40; at < compressed.length; at++)
        expect(await failureOf(decode, flip(compressed, at)), String(at)).to.match(
          /damaged|ends before|continues after/,
        );
    });

    it('rejects bytes after the compressed data', async () => {
      for (const trailing of ['garbage', '\0\0\0\0', rows])
        for (const size of [1, compressed.length, 65_536])
          expect(await failureOf(decode, Buffer.concat([compressed, Buffer.from(trailing)]), size), trailing).to.match(
            /damaged|continues after/,
          );
    });

    it('rejects content that is not compressed', async () => {
      expect(await failureOf(decode, Buffer.from(rows))).to.match(/damaged/);
    });

    it('passes on an error of the source', async () => {
      async function* failing() {
        yield await Promise.resolve(compressed.subarray(0, 30));
        throw new RangeError('the source failed');
      }
      const error = await collect(decode(failing())).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(RangeError);
    });

    it('reads no further when the consumer stops', async () => {
      let chunksRead = 0;
      let isClosed = false;
      async function* source() {
        try {
          for (;;) {
            chunksRead += 1;
            yield await Promise.resolve(compressed);
          }
        } finally {
          isClosed = true;
        }
      }
      const content = decode(source())[Symbol.asyncIterator]();
      await content.next();
      await content.return?.();
      expect(chunksRead).to.be.at.most(2);
      expect(isClosed).to.equal(true);
    });
  });

for (const [name, decode] of decoders.slice(1))
  describe(`decompression of frames by ${name}`, () => {
    it('reads frames of several blocks, and skips skippable frames', async () => {
      expect(await collect(decode(inChunks(zstdRepeatedRows, 10)))).to.equal(repeatedRows);
      const stored = frame([rawBlock('abc'), repeatBlock(5), rawBlock('', true)]);
      const bytes = Buffer.concat([skippableFrame('seek table'), stored, skippableFrame(''), zstdRows]);
      for (const size of [1, 65_536])
        expect(await collect(decode(inChunks(bytes, size)))).to.equal(`abc${'x'.repeat(5)}${rows}`);
    });

    it('rejects a window of more than 8 MiB before it is allocated', async () => {
      const blocks = [rawBlock('a', true)];
      expect(await collect(decode(inChunks(frame(blocks, 23))))).to.equal('a');
      expect(await failureOf(decode, frame(blocks, 24))).to.equal(
        'it was compressed with a window of 16777216 bytes; the maximum is 8388608 (RFC 9659)',
      );
      expect(await failureOf(decode, Buffer.concat([zstdRows, frame(blocks, 41)]))).to.include(
        'a window of 2199023255552',
      );
    });

    it('rejects dictionaries, reserved bits and blocks, and unknown frames', async () => {
      const block = rawBlock('a', true);
      const reservedBlock = Buffer.from([0x07, 0, 0]);
      const largeBlock = Buffer.from([0x01, 0, 0x20]);
      for (const [bytes, message] of [
        [frame([Buffer.from([7]), block], 20, 1), 'the compressed data needs a dictionary'],
        [frame([block], 20, 8), 'the compressed data is damaged: a reserved bit of a frame header is set'],
        [frame([reservedBlock]), 'the compressed data is damaged: a block has a reserved type'],
        [frame([largeBlock]), 'the compressed data is damaged: a block is too large'],
        [Buffer.from('(zstd)'), 'the compressed data is damaged: a frame has an unknown magic number'],
      ] as const)
        expect(await failureOf(decode, bytes)).to.equal(message);
    });

    it('rejects more than a million blocks, which take time without content', async () => {
      const blocks = Array.from({ length: 1_000_001 }, (_, index) => rawBlock('', index === 1_000_000));
      expect(await failureOf(decode, frame(blocks))).to.equal('it has more than 1000000 frames and blocks');
    });

    it('decompresses at most one block of 128 KiB at a time', async () => {
      const bomb = frame([...Array.from({ length: 1_000 }, () => repeatBlock(131_072)), repeatBlock(1, true)]);
      let pieces = 0;
      for await (const piece of decode(inChunks(bomb))) {
        expect(piece.length).to.be.at.most(131_072);
        pieces += 1;
        if (pieces === 10) break;
      }
      expect(pieces).to.equal(10);
    });
  });

describe('expansion of compressed content', () => {
  const tenMegabytes = Buffer.alloc(10_000_000, 'x');
  const bomb = frame([...Array.from({ length: 100 }, () => repeatBlock(100_000)), repeatBlock(1, true)]);

  it('is limited to 500 times the compressed size', async () => {
    for (const [coding, bytes] of [
      ['gzip', gzipSync(tenMegabytes)],
      ['zstd', bomb],
    ] as const) {
      let received = 0;
      const read = async () => {
        for await (const piece of decompress(inChunks(bytes), { coding })) received += piece.length;
      };
      expect(await read().catch((error: unknown) => error)).to.be.instanceOf(ExpandsTooMuch);
      expect(received).to.be.at.most(Math.max(1_048_576, 500 * bytes.length));
    }
  });

  it('is not limited for content of up to 1 MiB', async () => {
    const content = 'x'.repeat(1_048_576);
    expect(await collect(decompress(inChunks(gzipSync(content)), { coding: 'gzip' }))).to.equal(content);
    expect(await collect(decompress(inChunks(zstdRepeatedRows), { coding: 'zstd' }))).to.equal(repeatedRows);
  });

  it('has no effect on incompressible content', async () => {
    const content = randomBytes(3_000_000);
    const hash = createHash('sha256');
    for await (const piece of decompress(inChunks(gzipSync(content)), { coding: 'gzip' })) hash.update(piece);
    expect(hash.digest('hex')).to.equal(createHash('sha256').update(content).digest('hex'));
  });
});
