import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { Decompress } from 'fzstd';
import createXxHash from 'xxhash-wasm';
import { DamagedContent, decodeStream } from './decode-stream.ts';
import { maxWindowLog, splitFrames } from './zstd-frames.ts';

/** The zstd exports of node:zlib, which the typings of Node.js 20 lack. */
interface ZstdOfNode {
  readonly createZstdDecompress?: (options: {
    readonly params: Readonly<Record<number, number>>;
  }) => Transform & { readonly bytesWritten: number };
  readonly constants: { readonly ZSTD_d_windowLogMax?: number };
}

const { createZstdDecompress, constants } = zlib as ZstdOfNode;

/** Node.js has a zstd decoder since 22.15 and 23.8. Older versions use fzstd. */
export const decodeZstd = (compressed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> => {
  const windowParameter = constants.ZSTD_d_windowLogMax;
  if (!createZstdDecompress || windowParameter === undefined) return decodeZstdInJavaScript(compressed);
  return decodeStream(createZstdDecompress({ params: { [windowParameter]: maxWindowLog } }), takeParts(compressed));
};

async function* takeParts(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  for await (const { bytes } of splitFrames(compressed)) yield bytes;
}

/** Decompresses zstd with fzstd. Verifies the checksums of frames, which fzstd ignores. */
export async function* decodeZstdInJavaScript(
  compressed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const xxHash = await createXxHash();
  let content: Uint8Array[] = [];
  let decoder = new Decompress();
  let hash = xxHash.create64();
  for await (const { kind, bytes, endsFrame } of splitFrames(compressed)) {
    if (kind === 'header') {
      decoder = new Decompress((piece) => content.push(piece));
      hash = xxHash.create64();
    }
    try {
      decoder.push(bytes, endsFrame);
    } catch (cause) {
      throw new DamagedContent('the compressed data is damaged', { cause });
    }
    const decoded = content.filter((piece) => piece.length > 0);
    content = [];
    for (const piece of decoded) {
      hash.update(piece);
      yield piece;
    }
    // The checksum is the lower 32 bits of the hash.
    if (kind === 'checksum' && bytes.readUInt32LE() !== Number(hash.digest() & 0xffff_ffffn))
      throw new DamagedContent('the compressed data is damaged: a checksum is wrong');
    if (kind === 'block') await nextEventLoopTurn();
  }
}
