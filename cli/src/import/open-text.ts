import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Failure } from '../program/failure.ts';

/** A file as a stream of bytes; one whose name ends in `.gz` is unpacked on the way. */
export const openText = async (path: string): Promise<Readable> => {
  try {
    await access(path);
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${(error as Error).message}`);
  }
  const bytes = createReadStream(path);
  // The reader of the second stream hears of a failure of the first.
  return path.endsWith('.gz') ? pipeline(bytes, createGunzip(), () => undefined) : bytes;
};
