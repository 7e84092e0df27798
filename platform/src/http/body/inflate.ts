import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { ApiError } from '@popsvc/contracts/errors';
import { tooLarge } from './read-bytes.ts';

type Inflate = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const [gzip, zlib, bare, brotli] = [gunzip, inflate, inflateRaw, brotliDecompress].map((work) =>
  promisify(work),
) as unknown as [Inflate, Inflate, Inflate, Inflate];

/** HTTP's "deflate" has a zlib header; some senders leave it out. */
const deflate: Inflate = (bytes, options) => (((bytes[0] ?? 0) & 0x0f) === 8 ? zlib : bare)(bytes, options);

const codings: Readonly<Record<string, Inflate>> = { gzip, 'x-gzip': gzip, deflate, br: brotli };

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** How a body in this content coding is unpacked; undefined when it is not packed. */
export const inflaterOf = (header: string | undefined): Inflate | undefined => {
  const coding = header?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return undefined;
  const found = Object.hasOwn(codings, coding) ? codings[coding] : undefined;
  if (!found) throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding must be gzip, deflate or br.');
  return found;
};

/** Unpacks piece by piece and stops at the limit: what a bomb would become never exists. */
export const inflated = async (unpack: Inflate, bytes: Buffer, maxBytes: number): Promise<Buffer> => {
  try {
    return await unpack(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (codeOf(cause) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new ApiError('INVALID_REQUEST', 'The body cannot be decompressed.', { cause });
  }
};
