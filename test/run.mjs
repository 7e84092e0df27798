/**
 * What `npm test` runs: the specs, in four lanes side by side, because many of them mostly wait.
 *
 *   node test/run.mjs [NAME...]          every spec except *.external.spec, or those whose path contains a NAME
 *   node test/run.mjs --long [NAME...]   the long forms, one after the other: every *.long.spec, or the specs whose path contains a NAME
 *   node test/run.mjs --serial [NAME...]  one spec after the other, for specs that share a server with others
 *
 * With --rounds A..B or --rounds N and --seed S, specs that count rounds run these rounds with this seed.
 *
 * A spec named `*.long.spec.ts` has two forms: short and seeded by default, long with POPSVC_LONG=1, which --long sets.
 * Every response of every server of the run is checked against the OpenAPI documents; one that does not match fails the run.
 * With CI=true a suite whose server binary is missing fails. The last line is `N passed, N failed[, N skipped]`.
 */
import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { watchRun } from './dist/openapi/answer-run.js';
import { mark } from './lane.mjs';

const here = import.meta.dirname;
const { values, positionals: names } = parseArgs({
  options: {
    long: { type: 'boolean' },
    serial: { type: 'boolean' },
    rounds: { type: 'string' },
    seed: { type: 'string' },
  },
  allowPositionals: true,
});

// A zone that is not UTC and has daylight saving, so that an accidental use of local time fails a test.
const env = {
  ...process.env,
  TZ: 'America/New_York',
  ...(values.long && { POPSVC_LONG: '1' }),
  ...(values.rounds && { POPSVC_ROUNDS: values.rounds }),
  ...(values.seed && { POPSVC_SEED: values.seed }),
};
const watched = watchRun();

// Listed by source: dist may still hold specs that were renamed or deleted.
const all = readdirSync(join(here, 'src'), { recursive: true })
  .filter((path) => path.endsWith(values.long && names.length === 0 ? '.long.spec.ts' : '.spec.ts'))
  .filter((path) => names.length === 0 || names.some((name) => path.includes(name)))
  // Only test/external.mjs names these specs: they need servers that are not part of the project.
  .filter((path) => !path.includes('.external.') || names.some((name) => name.includes('.external')))
  .sort();
// The longest specs come first. One lane takes them from the start of the list, the other lanes take specs from its end: two specs
// that need the whole machine do not run at the same time, and none of them is left when the other lanes are done.
// Those that take minutes come first of all, so that no lane begins one of them last.
const ranks = [/^(console|worker)\/.*\.long\.|^projectors\/partitions\//, /^faults\//, /^e2e\//, /\.long\./, /./];
const rank = (path) => ranks.findIndex((pattern) => pattern.test(path));
const waiting = all.toSorted((one, other) => rank(one) - rank(other));

const total = { passes: 0, failures: 0, pending: 0 };
const [failed, missing, took] = [[], [], []];

const print = (lines) => process.stdout.write(`${lines.join('\n').trim()}\n\n`);

/** One process that runs spec after spec, each as soon as the one before is over. */
const lane = (takesNext) =>
  new Promise((resolve) => {
    const child = fork(join(here, 'lane.mjs'), {
      env: { ...env, ...watched.env },
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    let current;
    let began;
    let output = [];
    const next = () => {
      current = takesNext();
      began = performance.now();
      output = [];
      if (current === undefined) child.send({ end: true });
      else child.send({ spec: join(here, 'dist', current.replace(/\.ts$/, '.js')) });
    };
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith(mark)) return void output.push(line);
      const result = JSON.parse(line.slice(mark.length));
      for (const count of Object.keys(total)) total[count] += result[count];
      failed.push(...result.failed);
      missing.push(...result.missing);
      took.push({ spec: current, seconds: (performance.now() - began) / 1000 });
      print(output);
      next();
    });
    child.once('exit', (code, signal) => {
      if (current !== undefined) {
        total.failures += 1;
        failed.push(`${current}: the process that ran it ended (${signal ?? code})`);
        print(output);
      } else if (code !== 0) {
        total.failures += 1;
        failed.push(`a lane ended with ${signal ?? code} after its last spec`);
      }
      // A new process runs the remaining specs: a spec that ends its process must not end the others.
      resolve(current !== undefined && waiting.length > 0 ? lane(takesNext) : undefined);
    });
    next();
  });

const unmatched = names.filter((name) => !all.some((path) => path.includes(name)));
if (names.length === 0 && all.length === 0) unmatched.push('a long form');
for (const name of unmatched) {
  process.stderr.write(`No spec has ${name} in its path.\n`);
  total.failures += 1;
}
const lanes = values.long || values.serial || all.length === 1 ? 1 : 4;
const [first, last] = [() => waiting.shift(), () => waiting.pop()];
await Promise.all(Array.from({ length: all.length === 0 ? 0 : lanes }, (_, index) => lane(index === 0 ? first : last)));
if (failed.length > 0) process.stdout.write(`\nFailed:\n\n${failed.join('\n\n')}\n`);
if (missing.length > 0) process.stdout.write('Suites that could not run:\n');
for (const { suite, why } of missing) process.stdout.write(`  ${suite}: ${why}\n`);

const slowest = took.sort((one, other) => other.seconds - one.seconds).slice(0, 40);
if (took.length > slowest.length) {
  process.stdout.write('\nSlowest specs:\n');
  for (const { spec, seconds } of slowest) process.stdout.write(`  ${seconds.toFixed(1)} s ${spec}\n`);
}

const { answers, successes, wrong } = watched.end();
const unanswered = [...successes].flatMap(([operation, count]) => (count === 0 ? [operation] : []));
// Only a whole run calls every operation.
const isWhole = names.length === 0 && !values.long;
process.stdout.write(`\n${answers} responses checked against the OpenAPI documents; with 2xx, by operation:\n`);
for (const [operation, count] of successes) if (count > 0) process.stdout.write(`  ${count} ${operation}\n`);
if (wrong.length > 0) process.stdout.write(`\nResponses that do not match the documents:\n\n${wrong.join('\n\n')}\n`);
if (isWhole && unanswered.length > 0)
  process.stdout.write(`\nOperations without a 2xx response:\n  ${unanswered.join('\n  ')}\n`);
total.failures += (wrong.length > 0 ? 1 : 0) + (isWhole && unanswered.length > 0 ? 1 : 0);
const { passes, failures, pending } = total;
process.stdout.write(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`);
process.exit(failures > 0 ? 1 : 0);
