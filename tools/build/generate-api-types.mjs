/**
 * Generates the TypeScript types for the HTTP APIs from the OpenAPI documents in docs/reference/openapi. The types are not
 * committed. Every build runs this script before `tsc -b`, because client, cli and console compile against the types. A file is
 * written only if its document, this script or the version of openapi-typescript has changed. Incremental builds therefore stay
 * incremental: a run without changes takes about 50 ms.
 *
 *   node tools/build/generate-api-types.mjs
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The files generated from each document. The console and the CLI must not import each other, so each has its own copy. */
const targets = {
  'command-api': ['client/src/generated/command-api.ts'],
  'query-api': ['client/src/generated/query-api.ts'],
  ops: ['cli/src/generated/ops.ts', 'console/src/generated/ops.ts'],
};

const read = (path) => {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Replaces a file atomically, so a concurrent build never reads a partially written file. */
const replace = (path, text) => {
  const file = join(root, path);
  const partial = `${file}.${process.pid}.part`;
  mkdirSync(dirname(file), { recursive: true });
  try {
    writeFileSync(partial, text);
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
};

/** Drops the example of a response body, which would only become a long comment. Unlike a header, a body has no description. */
const withoutExample = (_, value) => {
  if (value !== null && typeof value === 'object' && 'schema' in value && !('description' in value || 'in' in value))
    delete value.example;
  return value;
};

const generator = readFileSync(import.meta.filename, 'utf8');
const { devDependencies } = JSON.parse(read('package.json'));

for (const [name, paths] of Object.entries(targets)) {
  const source = `docs/reference/openapi/${name}.json`;
  const document = read(source);
  const hash = createHash('sha256').update(generator).update(devDependencies['openapi-typescript']).update(document);
  const header = `/** Generated from ${source} by tools/build/generate-api-types.mjs, SHA-256 ${hash.digest('hex')}. */\n`;
  const stale = paths.filter((path) => !read(path)?.startsWith(header));
  if (stale.length === 0) continue;
  // Imported only when needed, because it loads the TypeScript compiler, which takes a second.
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const types = header + astToString(await openapiTS(JSON.parse(document, withoutExample)));
  for (const path of stale) replace(path, types);
}
