/**
 * Runs the checks of `npm run lint`, several at a time.
 *
 *   npm run lint               all checks
 *   npm run lint -- NAME...    the checks whose name contains one of the NAMEs, such as `oxlint` or `spell`
 *
 * A check that succeeded is skipped until one of its inputs changes: its files, the configuration files, or the list of installed npm
 * packages. If the environment variable CI is set, no check is skipped. Before the checks run, this script generates the API types and
 * compiles with `tsc -b`, because the rules of oxlint use types.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import '../build/generate-api-types.mjs';
import { filesBelow, root } from './files.mjs';

const cacheFolder = join(root, 'node_modules/.cache/lint');
const isCached = !process.env.CI;
const names = process.argv.slice(2);
/** Maximum number of concurrent checks. oxlint uses all cores by itself, and up to 2 GB of memory. */
const processes = Math.min(availableParallelism(), 4);

const bin = (path, ...args) => [process.execPath, join(root, 'node_modules', path), ...args];

const hashes = new Map();
const hashOf = (path) => {
  if (!hashes.has(path))
    hashes.set(
      path,
      createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest('hex'),
    );
  return hashes.get(path);
};

/** Inputs of every check. node_modules/.package-lock.json lists the versions that are installed. */
const settings = ['package.json', 'node_modules/.package-lock.json', 'tools/lint/lint.mjs', 'tools/lint/files.mjs'];
const allFiles = filesBelow('.');

/** What oxlint reads: sources, which are all in these languages, and the configuration of the compiler. */
const isLintInput = (path) =>
  /\.([cm]?[jt]s|tsx)$|(^|\/)(\.oxlintrc|package|tsconfig[^/]*)\.json$|(^|\/)\.gitignore$/.test(path);

const prettierCache = ['--cache', '--cache-strategy', 'content'];
const npmRun = (script) => ['npm', 'run', '--silent', script];
/** The checks, the longest first. */
const allChecks = [
  { name: 'oxlint', command: bin('oxlint/bin/oxlint'), inputs: allFiles.filter(isLintInput) },
  {
    name: 'prettier',
    command: bin(
      'prettier/bin/prettier.cjs',
      '--check',
      ...(isCached ? prettierCache : []),
      '--log-level',
      'warn',
      '.',
    ),
    inputs: allFiles,
  },
  { name: 'spell', command: npmRun('spell'), inputs: allFiles },
  { name: 'boundaries', command: npmRun('boundaries'), inputs: allFiles },
  { name: 'unused', command: npmRun('unused'), inputs: allFiles },
  { name: 'engines', command: npmRun('engines'), inputs: ['package-lock.json'] },
];

const run = ([program, ...args]) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve({ code, output: signal ? `${output}ended by ${signal}` : output.trim() }),
    );
  });

const stampOf = ({ name }) => join(cacheFolder, name.replace(/[^a-z]+/g, '-'));
const keyOf = ({ inputs }) => {
  const parts = [process.version, ...[...settings, ...inputs].flatMap((path) => [path, hashOf(path)])];
  return createHash('sha256').update(parts.join('\0')).digest('hex');
};
const isUnchanged = (check) => {
  try {
    return isCached && readFileSync(stampOf(check), 'utf8') === check.key;
  } catch {
    return false;
  }
};

const failed = [];
const perform = async (check) => {
  const startedAt = performance.now();
  const { code, output } = await run(check.command);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${check.name}: ${code === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
  if (code === 0) return void writeFileSync(stampOf(check), check.key);
  console.log(output);
  failed.push(check.name);
};

mkdirSync(cacheFolder, { recursive: true });
const types = await run(bin('typescript-7/bin/tsc', '-b'));
if (types.code !== 0) {
  console.log(`tsc -b: FAILED\n${types.output}`);
  process.exit(1);
}

const checks = allChecks
  .filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)))
  .map((check) => ({ ...check, key: keyOf(check) }));
if (checks.length === 0) {
  console.error(`No check has ${names.join(' or ')} in its name: ${allChecks.map(({ name }) => name).join(', ')}.`);
  process.exit(1);
}

const changed = checks.filter((check) => !isUnchanged(check));
if (changed.length < checks.length)
  console.log(`${checks.length - changed.length} of ${checks.length} checks: unchanged`);

// In the order of the list: the longest check starts first, so that the others run alongside it.
const waiting = [...changed];
const performNext = async () => {
  for (let check = waiting.shift(); check; check = waiting.shift()) await perform(check);
};
await Promise.all(Array.from({ length: processes }, performNext));
if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
