import { createHash, type Hash } from 'node:crypto';
import type { ObjectStore } from '@popsvc/platform/objects';

/** Passes bytes on and hashes them on the way. */
export async function* hashed(bytes: AsyncIterable<Uint8Array>, into: Hash): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of bytes) {
    into.update(chunk);
    yield chunk;
  }
}

/** Hexadecimal, of the whole object. */
export const sha256Of = async (objects: ObjectStore, key: string, signal: AbortSignal): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of await objects.read(key, signal)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
};
