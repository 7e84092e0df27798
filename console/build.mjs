/**
 * Builds the operators' page into console/dist/page, from where the operations server serves it. `npm run build` and `npm start` always run
 * this script, so it does nothing if its inputs have not changed.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const packageFolder = import.meta.dirname;
const pageFolder = join(packageFolder, 'dist/page');
const fingerprintFile = join(pageFolder, '.built-from');

/**
 * Returns a hash of the inputs of the build: the sources, the compiled `completeness` folder of the package `contracts`, and the
 * dependencies in package.json.
 */
const readFingerprint = () => {
  const hash = createHash('sha256');
  const files = [join(packageFolder, 'src'), join(packageFolder, '../contracts/dist/completeness')]
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  files.push(join(packageFolder, 'index.html'), import.meta.filename);
  for (const path of files.sort())
    hash.update(relative(packageFolder, path)).update('\0').update(readFileSync(path)).update('\0');
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  return hash.update(JSON.stringify([dependencies, devDependencies])).digest('hex');
};

const readBuiltFingerprint = () => {
  try {
    return readFileSync(fingerprintFile, 'utf8');
  } catch {
    return undefined;
  }
};

const fingerprint = readFingerprint();
if (readBuiltFingerprint() !== fingerprint) {
  const { build } = await import('vite');
  await build({
    root: packageFolder,
    configFile: false,
    logLevel: 'warn',
    // The page has relative URLs, because a reverse proxy may serve it under a path.
    base: './',
    build: {
      outDir: pageFolder,
      emptyOutDir: true,
      target: 'es2023',
      // The content security policy forbids inlined assets, so none are inlined.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  // Write the fingerprint last. If the build is interrupted, the next run then repeats it.
  writeFileSync(fingerprintFile, fingerprint);
}
