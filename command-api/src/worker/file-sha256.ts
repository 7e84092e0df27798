import { createHash, type Hash } from 'node:crypto';
import { ObjectNotFound, type ObjectStore } from '@popsvc/platform/object-storage';

/** Passes bytes on and hashes them on the way. */
export async function* hashed(bytes: AsyncIterable<Uint8Array>, into: Hash): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of bytes) {
    into.update(chunk);
    yield chunk;
  }
}

/** Hexadecimal, of the whole object; undefined when there is none. */
export const sha256Of = async (objects: ObjectStore, key: string, signal: AbortSignal): Promise<string | undefined> => {
  const hash = createHash('sha256');
  try {
    for await (const chunk of await objects.read(key, signal)) hash.update(chunk as Uint8Array);
  } catch (error) {
    if (error instanceof ObjectNotFound) return undefined;
    throw error;
  }
  return hash.digest('hex');
};
