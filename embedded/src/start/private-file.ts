import { chmod, readFile, rename, writeFile } from 'node:fs/promises';

/** Writes JSON that only its owner may read; whole or not at all. */
export const writePrivate = async (path: string, value: unknown): Promise<void> => {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, path);
};

/** Undefined when there is no such file. */
export const readJson = async (path: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};
