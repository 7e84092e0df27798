/**
 * Runs the checks of `npm run lint`, several at a time.
 *
 *   npm run lint               all checks
 *   npm run lint -- NAME...    the checks whose name contains one of the NAMEs, such as `platform` or `spell`
 *
 * A check that succeeded is skipped until one of its inputs changes. An eslint check's inputs are the package's files, the
 * declarations (.d.ts) that `tsc -b` emitted for the packages that it references, the configuration files, and the list of installed
 * npm packages. The lint rules use types, so a change in another package can affect a check, but only through the declarations. Before
 * the checks run, this script generates the API types and brings the declarations up to date with `tsc -b`. If the environment
 * variable CI is set, no check is skipped.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import '../build/generate-api-types.mjs';
import { filesBelow, root } from './files.mjs';

const cacheFolder = join(root, 'node_modules/.cache/lint');
const isCached = !process.env.CI;
const names = process.argv.slice(2);
/**
 * Maximum number of concurrent checks. It is limited because each eslint process with type information uses up to 2 GB of memory.
 */
const processes = Math.min(availableParallelism(), 4);

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
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

/** Returns the packages that the tsconfig.json of a folder references. For the root folder, these are all packages. */
const referencesOf = (folder) =>
  (readJson(join(folder, 'tsconfig.json')).references ?? []).map(({ path }) => join(folder, path));
const packages = referencesOf('.');
const filesOf = (folder) => allFiles.filter((path) => path.startsWith(`${folder}/`));

const declarationsOf = (folder) => {
  const { outDir } = readJson(join(folder, 'tsconfig.json')).compilerOptions;
  const emitted = join(folder, outDir);
  const paths = readdirSync(join(root, emitted), { recursive: true }).filter((path) => path.endsWith('.d.ts'));
  return paths.sort().map((path) => join(emitted, path));
};
const referencedBy = (folder, seen = new Set()) => {
  for (const other of referencesOf(folder)) if (!seen.has(other)) referencedBy(other, seen.add(other));
  return [...seen].sort();
};

const eslint = ['eslint/bin/eslint.js', '--max-warnings', '0', '--no-error-on-unmatched-pattern'];
const eslintSettings = ['eslint.config.js', 'tsconfig.base.json'];
const eslintChecks = () =>
  packages.map((folder) => ({
    name: `eslint ${folder}`,
    folder,
    weight: filesOf(folder).length,
    inputs: [...eslintSettings, ...filesOf(folder), ...referencedBy(folder).flatMap(declarationsOf)],
  }));

const prettierCache = ['--cache', '--cache-strategy', 'content'];
const npmRun = (script) => ['npm', 'run', '--silent', script];
const otherChecks = () => [
  {
    name: 'prettier',
    weight: 500,
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
  { name: 'boundaries', weight: 100, command: npmRun('boundaries'), inputs: allFiles },
  { name: 'unused', weight: 100, command: npmRun('unused'), inputs: allFiles },
  { name: 'spell', weight: 100, command: npmRun('spell'), inputs: allFiles },
  { name: 'engines', weight: 0, command: npmRun('engines'), inputs: ['package-lock.json'] },
  {
    name: 'eslint outside of packages',
    weight: 0,
    command: bin(...eslint, ...packages.flatMap((folder) => ['--ignore-pattern', `${folder}/**`]), '.'),
    inputs: [...eslintSettings, ...allFiles.filter((path) => !packages.includes(path.split('/')[0]))],
  },
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

const weightOf = (checks) => checks.reduce((sum, { weight }) => sum + weight, 0);
const byWeight = (one, other) => other.weight - one.weight;

/**
 * Divides the packages to lint into groups of similar weight and runs one eslint process per group. Grouping saves time, because
 * a process loads declarations only once even if several of its packages use them.
 */
const eslintJobs = (checks) => {
  const groups = Array.from({ length: Math.min(processes, checks.length) }, () => []);
  for (const check of checks.toSorted(byWeight))
    groups.reduce((least, group) => (weightOf(group) < weightOf(least) ? group : least)).push(check);
  return groups.map((group) => ({
    checks: group,
    weight: weightOf(group),
    command: bin(...eslint, ...group.map(({ folder }) => folder)),
    // Exit code 1 means that eslint found problems; its output names the files. Any other code except 0 means that eslint itself
    // failed, so every package in the group counts as failed.
    failedOf: ({ code, output }) =>
      group.filter(({ folder }) => code !== 1 || output.includes(`${join(root, folder)}/`) || group.length === 1),
  }));
};

const failed = [];
const perform = async ({ checks, command, failedOf = () => checks }) => {
  const startedAt = performance.now();
  const result = await run(command);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const failures = result.code === 0 ? [] : failedOf(result);
  // If eslint found problems but its output names no file of the group, every check of the group counts as failed.
  const wrong = result.code !== 0 && failures.length === 0 ? checks : failures;
  for (const check of checks) if (!wrong.includes(check)) writeFileSync(stampOf(check), check.key);
  failed.push(...wrong);
  console.log(`${checks.map(({ name }) => name).join(', ')}: ${wrong.length === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
  if (wrong.length > 0) console.log(result.output);
};

mkdirSync(cacheFolder, { recursive: true });
const types = await run(bin('typescript-7/bin/tsc', '-b'));
if (types.code !== 0) {
  console.log(`tsc -b: FAILED\n${types.output}`);
  process.exit(1);
}

const checks = [...eslintChecks(), ...otherChecks()]
  .filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)))
  .map((check) => ({ ...check, key: keyOf(check) }));
if (checks.length === 0) {
  console.error(`No check has ${names.join(' or ')} in its name.`);
  process.exit(1);
}

const changed = checks.filter((check) => !isUnchanged(check));
if (changed.length < checks.length)
  console.log(`${checks.length - changed.length} of ${checks.length} checks: unchanged`);
const jobs = [
  ...eslintJobs(changed.filter(({ folder }) => folder)),
  ...changed.filter(({ folder }) => !folder).map((check) => ({ ...check, checks: [check] })),
];

// The longest job starts first, so the others can run in parallel with it.
const waiting = jobs.sort(byWeight);
const performNext = async () => {
  for (let job = waiting.shift(); job; job = waiting.shift()) await perform(job);
};
await Promise.all(Array.from({ length: processes }, performNext));
if (failed.length > 0) console.log(`Failed: ${failed.map(({ name }) => name).join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
