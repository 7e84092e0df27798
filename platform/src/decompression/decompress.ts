import { createGunzip } from 'node:zlib';
import type { ContentCoding } from '@popsvc/contracts/bulk';
import { decodeStream } from './decode-stream.ts';
import { decodeZstd } from './zstd.ts';

/**
 * Default of the highest accepted ratio of decompressed to compressed bytes. Files of plays have a ratio of 10 to 100. Other
 * content can have 1,032 with gzip, and more than 10,000 with zstd.
 */
export const maxExpansion = 500;

/** Content of up to this many bytes is accepted at any ratio. */
const smallBytes = 1_048_576;

const decoders: Readonly<Record<ContentCoding, (compressed: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>>> =
  {
    gzip: (compressed) => decodeStream(createGunzip(), compressed),
    zstd: decodeZstd,
  };

/** Thrown if decompressed data is larger than 1 MiB and more than `maxExpansion` times as large as the compressed data. */
export class ExpandsTooMuch extends Error {
  override readonly name = 'ExpandsTooMuch';
}

export interface DecompressOptions {
  readonly coding: ContentCoding;
  /** Default: the constant `maxExpansion`. */
  readonly maxExpansion?: number;
}

/**
 * Decompresses a stream in bounded memory: reads the next compressed chunk only after the consumer has taken the content of the
 * previous one. Throws DamagedContent or ExpandsTooMuch. Errors of the source are passed on.
 */
export async function* decompress(
  compressed: AsyncIterable<Uint8Array>,
  { coding, maxExpansion: maxRatio = maxExpansion }: DecompressOptions,
): AsyncGenerator<Uint8Array, void, void> {
  let compressedBytes = 0;
  let contentBytes = 0;
  async function* countBytes() {
    for await (const chunk of compressed) {
      compressedBytes += chunk.length;
      yield chunk;
    }
  }
  for await (const chunk of decoders[coding](countBytes())) {
    contentBytes += chunk.length;
    if (contentBytes > smallBytes && contentBytes > maxRatio * compressedBytes)
      throw new ExpandsTooMuch(`more than ${maxRatio} times the compressed size`);
    yield chunk;
  }
}
