import { open } from 'node:fs/promises';

/** Makes created, renamed and removed names in a directory survive a power cut. */
export const syncDirectory = async (dir: string): Promise<void> => {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
