#!/usr/bin/env node
/** The operator's command line as it stands in the repository: builds itself when its sources are newer than what was built. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'cli', 'dist', 'main.js');
const packages = ['contracts', 'domain', 'client', 'cli'];

const modifiedMs = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

const newestSourceMs = (folder) => {
  const src = join(root, folder, 'src');
  if (!existsSync(src)) return 0;
  return Math.max(...readdirSync(src, { recursive: true }).map((path) => modifiedMs(join(src, path))));
};

const isStale = () =>
  !existsSync(main) ||
  packages.some((folder) => newestSourceMs(folder) > modifiedMs(join(root, folder, 'dist', '.tsbuildinfo')));

if (isStale()) {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  // Standard output belongs to the answer of the command.
  const { status } = spawnSync(process.execPath, [compiler, '-b', 'cli'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0 && !existsSync(main)) {
    process.stderr.write('popsvc: the command line could not be built.\n');
    process.exit(1);
  }
}

process.setSourceMapsEnabled(true);
await import(pathToFileURL(main).href);
