import { open, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from './sync-directory.ts';

let drafts = 0;

/** Puts a file in place whole or not at all, also across a power cut. */
export const replaceFile = async (path: string, content: Buffer | AsyncIterable<Buffer>): Promise<void> => {
  const draft = `${path}.${(drafts += 1)}.draft`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await writeFile(handle, content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, path);
  await syncDirectory(dirname(path));
};
