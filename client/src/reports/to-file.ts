import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes bytes to a file that is there only when it is whole, in place of one that was there before. Resolves with their number. */
export const toFile = async (bytes: Readable, path: string): Promise<number> => {
  const partial = `${path}.${randomUUID()}.part`;
  try {
    // Flushed, so that a machine that goes down does not leave the name without the content.
    const file = createWriteStream(partial, { flags: 'wx', flush: true });
    await pipeline(bytes, file);
    await rename(partial, path);
    return file.bytesWritten;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
};
