import { open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Syncs a directory, so the creation, renaming or removal of its files survives a power failure. */
export const syncDirectory = async (dir: string): Promise<void> => {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Syncs a directory and all directories below it, but not the contents of their files. */
export const syncDirectoryTree = async (dir: string): Promise<void> => {
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) await syncDirectory(join(entry.parentPath, entry.name));
  await syncDirectory(dir);
};

let drafts = 0;

/** Replaces a file atomically and durably: after a crash it has the old or the new content. Only its owner may read it. */
export const replaceFile = async (
  path: string,
  content: string | Buffer | Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<void> => {
  // The process id prevents two processes that use the same folder from writing to the same draft.
  const draft = `${path}.${process.pid}-${(drafts += 1)}.draft`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.chmod(0o600);
    await writeFile(handle, content);
    await handle.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await rename(draft, path);
  await syncDirectory(dirname(path));
};

export const writeJsonFile = (path: string, value: unknown): Promise<void> =>
  replaceFile(path, `${JSON.stringify(value, null, 2)}\n`);

/** Returns undefined if the file does not exist. Throws a SyntaxError that names the file if its content is not JSON. */
export const readJsonFile = async (path: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // The message of the parser quotes the content, which may be a secret.
    throw error instanceof SyntaxError ? new SyntaxError(`${path} is not JSON`) : error;
  }
};
