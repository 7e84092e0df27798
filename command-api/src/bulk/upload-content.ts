import { createHash } from 'node:crypto';
import { CONTENT_CODINGS, type ContentCoding } from '@popsvc/contracts/bulk';
import { ApiError } from '@popsvc/contracts/errors';
import type { UploadReceived } from '@popsvc/contracts/events';
import { DamagedContent, decompress, ExpandsTooMuch, maxExpansion } from '@popsvc/platform/decompression';
import type { RouteRequest } from '@popsvc/http-kit/server';

/** `x-gzip` is an old name of gzip (RFC 9110, 8.4.1.3). */
const codingNames: Readonly<Record<string, ContentCoding>> = { gzip: 'gzip', 'x-gzip': 'gzip', zstd: 'zstd' };

/** Returns undefined if the file is not compressed. Throws UNSUPPORTED_MEDIA_TYPE for an unknown coding. */
export const readContentCoding = (request: RouteRequest): ContentCoding | undefined => {
  const coding = request.header('Content-Encoding')?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return undefined;
  const known = Object.hasOwn(codingNames, coding) ? codingNames[coding] : undefined;
  if (known) return known;
  const names = CONTENT_CODINGS.join(' or ');
  throw new ApiError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Content-Encoding must be ${names}, or absent for an uncompressed file.`,
  );
};

export const fileTooLarge = (maxBytes: number, coding?: ContentCoding): ApiError =>
  new ApiError(
    'PAYLOAD_TOO_LARGE',
    coding
      ? `The file must be at most ${maxBytes} bytes after decompression.`
      : `The file must be at most ${maxBytes} bytes.`,
  );

/**
 * Compression enlarges incompressible content by less than a thousandth. Without a limit, compressed data without content could arrive
 * forever.
 */
export const maxSentBytes = (maxBytes: number, coding: ContentCoding | undefined): number =>
  coding ? Math.ceil(maxBytes * 1.001) + 65_536 : maxBytes;

export type SentFile = NonNullable<UploadReceived['sent']>;

export interface UploadContent {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Call this after `chunks` have been read. Returns undefined if the file is not compressed. */
  readonly describeSent: () => SentFile | undefined;
}

/**
 * Reading `chunks` throws an ApiError for damaged data and for data that expands too much. The caller must limit the size of the content.
 */
export const decodeUpload = (
  received: AsyncIterable<Uint8Array>,
  coding: ContentCoding | undefined,
  maxBytes: number,
): UploadContent => {
  if (!coding) return { chunks: received, describeSent: () => undefined };
  const hash = createHash('sha256');
  let sizeBytes = 0;
  async function* countSent() {
    for await (const chunk of received) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxSentBytes(maxBytes, coding)) throw fileTooLarge(maxBytes, coding);
      hash.update(chunk);
      yield chunk;
    }
  }
  return {
    chunks: decompressFile(countSent(), coding),
    describeSent: () => ({ contentEncoding: coding, sizeBytes, sha256: hash.copy().digest('hex') }),
  };
};

async function* decompressFile(compressed: AsyncIterable<Uint8Array>, coding: ContentCoding) {
  try {
    yield* decompress(compressed, { coding });
  } catch (cause) {
    if (cause instanceof ExpandsTooMuch) {
      const message = `The file expands to more than ${maxExpansion} times the bytes sent. Send it uncompressed, or in parts.`;
      throw new ApiError('PAYLOAD_TOO_LARGE', message, { cause, details: [{ path: 'body', message }] });
    }
    if (!(cause instanceof DamagedContent)) throw cause;
    const message = `The file cannot be decompressed (Content-Encoding: ${coding}): ${cause.message}.`;
    throw new ApiError('INVALID_REQUEST', message, { cause, details: [{ path: 'body', message }] });
  }
}
