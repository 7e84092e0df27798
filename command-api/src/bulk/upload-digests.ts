import { createHash } from 'node:crypto';
import { invalidRequestError, type RouteRequest } from '@popsvc/http-kit/server';
import { parseDictionary } from 'structured-headers';

export interface SentDigest {
  readonly header: string;
  readonly algorithm: 'md5' | 'sha256' | 'sha512';
  readonly bytes: Buffer;
}

/** RFC 9530, section 5, considers only these safe against manipulation, and lets servers ignore others. */
const algorithms = [
  { key: 'sha-256', algorithm: 'sha256', length: 32 },
  { key: 'sha-512', algorithm: 'sha512', length: 64 },
] as const;

const malformed = (header: string, expected: string) =>
  invalidRequestError([{ path: header, message: `must be ${expected}` }]);

/** HTTP no longer defines this header (RFC 9110), but clients of object stores send it. */
const readMd5 = (request: RouteRequest): readonly SentDigest[] => {
  const header = 'Content-MD5';
  const text = request.header(header);
  if (text === undefined) return [];
  if (!/^[A-Za-z0-9+/]{22}==$/.test(text)) throw malformed(header, 'the base64 of the 16 bytes of an MD5 digest');
  return [{ header, algorithm: 'md5', bytes: Buffer.from(text, 'base64') }];
};

const parseDigests = (header: string, text: string): ReadonlyMap<string, readonly unknown[]> => {
  try {
    // The library's types refer to a type that only browsers have.
    return parseDictionary(text) as ReadonlyMap<string, readonly unknown[]>;
  } catch {
    throw malformed(header, 'a dictionary of digests as in RFC 9530, such as sha-256=:…:');
  }
};

const readDigestField = (request: RouteRequest, header: string): readonly SentDigest[] => {
  const digests = parseDigests(header, request.header(header) ?? '');
  return algorithms.flatMap(({ key, algorithm, length }) => {
    const value = digests.get(key)?.[0];
    if (value === undefined) return [];
    if (!(value instanceof ArrayBuffer) || value.byteLength !== length)
      throw malformed(header, `a dictionary of digests whose ${key} is :…: with the base64 of ${length} bytes`);
    return [{ header, algorithm, bytes: Buffer.from(value) }];
  });
};

/** All digests cover the bytes as sent, after compression (RFC 9530, sections 2 and 3). Throws INVALID_REQUEST for a malformed header. */
export const readDigests = (request: RouteRequest): readonly SentDigest[] => [
  ...readMd5(request),
  ...readDigestField(request, 'Content-Digest'),
  ...readDigestField(request, 'Repr-Digest'),
];

/** Throws INVALID_REQUEST after the last byte if a digest does not match. */
export async function* verifyDigests(
  chunks: AsyncIterable<Uint8Array>,
  digests: readonly SentDigest[],
): AsyncGenerator<Uint8Array, void, void> {
  const hashes = new Map(digests.map(({ algorithm }) => [algorithm, createHash(algorithm)]));
  for await (const chunk of chunks) {
    for (const hash of hashes.values()) hash.update(chunk);
    yield chunk;
  }
  const found = new Map([...hashes].map(([algorithm, hash]) => [algorithm, hash.digest()]));
  const wrong = digests.filter(({ algorithm, bytes }) => !bytes.equals(found.get(algorithm)!));
  if (wrong.length > 0)
    throw invalidRequestError(
      wrong.map(({ header, algorithm, bytes }) => ({
        path: header,
        message: `has the ${algorithm} ${bytes.toString('base64')}, and the bytes that arrived have ${found.get(algorithm)!.toString('base64')}; send the file again`,
      })),
    );
}
