import { createGunzip } from 'node:zlib';
import type { ContentCoding } from '@popsvc/contracts/bulk';
import { decodeStream } from './decode-stream.ts';
import { decodeZstd } from './zstd.ts';

/**
 * Default highest ratio of decompressed to compressed bytes, checked beyond 1 MiB of content. Files of plays have 10 to 100; gzip can reach
 * 1,032, and zstd over 10,000.
 */
export const maxExpansion = 500;

const smallBytes = 1_048_576;

const decoders: Readonly<Record<ContentCoding, (compressed: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>>> =
  {
    gzip: (compressed) => decodeStream(createGunzip(), compressed),
    zstd: decodeZstd,
  };

export class ExpandsTooMuch extends Error {
  override readonly name = 'ExpandsTooMuch';
}

export interface DecompressOptions {
  readonly coding: ContentCoding;
  readonly maxExpansion?: number;
}

/** Decompresses in bounded memory. Throws DamagedContent or ExpandsTooMuch; passes on errors of the source. */
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
