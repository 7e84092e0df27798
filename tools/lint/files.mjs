import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Absolute path of the repository's root folder. */
export const root = join(import.meta.dirname, '../..');

// Names of files and folders to skip. `.git` is a folder in the main worktree and a file in a linked one.
const ignored = new Set(['node_modules', 'dist', '.git', '.data', 'bench-results', 'coverage', 'test-results']);

/** Lists the files at or below `path`, sorted, without build output and installed packages. Paths are relative to the repository root. */
export const filesBelow = (path) => {
  if (!statSync(join(root, path), { throwIfNoEntry: false })) return [];
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => !ignored.has(entry.name) && (entry.isDirectory() || entry.isFile()))
    .flatMap((entry) => filesBelow(path === '.' ? entry.name : `${path}/${entry.name}`))
    .sort();
};
