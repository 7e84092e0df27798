import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ObjectTooLarge } from './errors.ts';
import type { ReceivedObject } from './port.ts';

export interface Destination {
  /** Where it is written until it is whole; on the same file system. */
  readonly draft: string;
  readonly path: string;
  /** The folder that is known to be durable; those between it and the file may be new. */
  readonly root: string;
}

const pour = async (draft: string, content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReceivedObject> => {
  const hash = createHash('sha256');
  const file = await open(draft, 'wx', 0o600);
  let sizeBytes = 0;
  try {
    for await (const chunk of content) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw new ObjectTooLarge(`more than ${maxBytes} bytes`);
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sizeBytes, sha256: hash.digest('hex') };
};

const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/** Writes a file that is there whole and for good, or not at all. One chunk is in hand at a time. */
export const writeDurably = async (
  { draft, path, root }: Destination,
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<ReceivedObject> => {
  try {
    const received = await pour(draft, content, maxBytes);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rename(draft, path);
    // A new folder is durable once the one above it is written.
    for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder)) await syncFolder(folder);
    return received;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};
