import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The top of the repository. */
export const root = join(import.meta.dirname, '../..');

// In a linked worktree `.git` is a file, in others a folder.
const ignored = new Set(['node_modules', 'dist', '.git', '.data', 'bench-results', 'coverage', 'test-results']);

/** Lists the files at or below `path`, sorted, without built and installed files. Paths are relative to the top of the repository. */
export const filesBelow = (path) => {
  if (!statSync(join(root, path), { throwIfNoEntry: false })) return [];
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => !ignored.has(entry.name) && (entry.isDirectory() || entry.isFile()))
    .flatMap((entry) => filesBelow(path === '.' ? entry.name : `${path}/${entry.name}`))
    .sort();
};
