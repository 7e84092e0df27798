import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The top of the repository. */
export const root = join(import.meta.dirname, '../..');

// .git is a file in a linked worktree.
const ignored = new Set(['node_modules', 'dist', '.git', '.data', 'bench-results', 'coverage', 'test-results']);

/** Every file at or below `path` that is not built or installed; paths are relative to the top of the repository. Sorted. */
export const filesBelow = (path) => {
  if (!statSync(join(root, path), { throwIfNoEntry: false })) return [];
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => !ignored.has(entry.name) && (entry.isDirectory() || entry.isFile()))
    .flatMap((entry) => filesBelow(path === '.' ? entry.name : `${path}/${entry.name}`))
    .sort();
};
