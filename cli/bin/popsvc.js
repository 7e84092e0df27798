#!/usr/bin/env node
/** Starts the command line. In a checkout of the repository, compiles it first if the build is missing or older than a source. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'cli/dist/main.js');
const packages = ['contracts', 'domain', 'platform', 'client', 'cli'];
const nodeCheck = join(root, 'tools/build/check-node.mjs');
const typeGenerator = join(root, 'tools/build/generate-api-types.mjs');

const modifiedMs = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

const newestMs = (folder) =>
  existsSync(folder)
    ? Math.max(...readdirSync(folder, { recursive: true }).map((path) => modifiedMs(join(folder, path))))
    : 0;

const isStale = () =>
  !existsSync(main) ||
  packages.some((name) => newestMs(join(root, name, 'src')) > modifiedMs(join(root, name, 'dist/.tsbuildinfo')));

if (existsSync(nodeCheck)) await import(pathToFileURL(nodeCheck).href);
if (existsSync(typeGenerator)) await import(pathToFileURL(typeGenerator).href);
if (isStale()) {
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
  // The compiler prints to standard error, because standard output is for the result of the command.
  const { status } = spawnSync(process.execPath, [compiler, '-b', 'cli'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0 && !existsSync(main)) {
    process.stderr.write('popsvc: the command line could not be built.\n');
    process.exit(1);
  }
}

process.setSourceMapsEnabled(true);
await import(pathToFileURL(main).href);
