/**
 * Builds the operators' page into console/dist/page, where the operations server finds it. Part of every `npm run build`, and so of
 * every start: nothing is loaded, let alone built, while neither a source nor a version has changed.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const here = import.meta.dirname;
const folder = join(here, 'dist/page');
const stamp = join(folder, '.built-from');

/** Of everything the page is made of: its own files, the words it shares with the house, and which versions of packages. */
const fingerprint = () => {
  const hash = createHash('sha256');
  const files = [join(here, 'src'), join(here, '../contracts/dist/completeness')]
    .flatMap((from) => readdirSync(from, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const { devDependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  for (const path of files) hash.update(relative(here, path)).update('\0').update(readFileSync(path)).update('\0');
  return hash.update(JSON.stringify(devDependencies)).digest('hex');
};

const built = () => {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
};

const wanted = fingerprint();
if (built() !== wanted) {
  const { build } = await import('vite');
  await build({
    root: here,
    configFile: false,
    logLevel: 'warn',
    // Relative, so that a server may stand behind a path.
    base: './',
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      // Nothing is written into the page itself: its policy would refuse it.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  // Last, so that a build that was cut short is done again.
  writeFileSync(stamp, wanted);
}
