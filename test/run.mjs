/**
 * What `npm test` runs: the specs, in three lanes side by side, since half of them wait for something.
 *
 *   node test/run.mjs [NAME...]          every spec, or those whose path contains a NAME
 *   node test/run.mjs --long [NAME...]   the long forms, one after the other: every *.long.spec, or the specs whose path contains a NAME
 *
 * A spec named `*.long.spec.ts` has two forms: short and seeded by default, long with POPSVC_LONG=1, which --long sets.
 * Every answer of every server of the run is held against the OpenAPI documents; one that does not fit fails the run.
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
const { values, positionals: names } = parseArgs({ options: { long: { type: 'boolean' } }, allowPositionals: true });

// A zone that is neither UTC nor free of daylight saving, so that a use of local time shows.
const env = { ...process.env, TZ: 'America/New_York', ...(values.long && { POPSVC_LONG: '1' }) };
const watched = watchRun();

// By the sources: the compiled form of a spec that was renamed or deleted may still be there.
const all = readdirSync(join(here, 'src'), { recursive: true })
  .filter((path) => path.endsWith(values.long && names.length === 0 ? '.long.spec.ts' : '.spec.ts'))
  .filter((path) => names.length === 0 || names.some((name) => path.includes(name)))
  .sort();
// The longest come first: one lane takes them one after the other, the others come towards it from the end. So those that ask for
// a whole machine do not starve each other, and none of them is left when the others are done.
// The two that take minutes come before all: whichever lane met them last would have the others wait.
const ranks = [/^(console|worker)\/.*\.long\./, /^faults\//, /^e2e\//, /\.long\./, /./];
const rank = (path) => ranks.findIndex((pattern) => pattern.test(path));
const waiting = all.toSorted((one, other) => rank(one) - rank(other));

const total = { passes: 0, failures: 0, pending: 0 };
const [failed, missing, took] = [[], [], []];

const tell = (lines) => process.stdout.write(`${lines.join('\n').trim()}\n\n`);

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
      const told = JSON.parse(line.slice(mark.length));
      for (const count of Object.keys(total)) total[count] += told[count];
      failed.push(...told.failed);
      missing.push(...told.missing);
      took.push({ spec: current, seconds: (performance.now() - began) / 1000 });
      tell(output);
      next();
    });
    child.once('exit', (code, signal) => {
      if (current !== undefined) {
        total.failures += 1;
        failed.push(`${current}: the process that ran it ended (${signal ?? code})`);
        tell(output);
      } else if (code !== 0) {
        total.failures += 1;
        failed.push(`a lane ended with ${signal ?? code} after its last spec`);
      }
      // What is left is for a new process: one spec that ends it must not take the others along.
      resolve(current !== undefined && waiting.length > 0 ? lane(takesNext) : undefined);
    });
    next();
  });

if (all.length === 0) {
  process.stderr.write(`No spec has ${names.join(' or ') || 'a long form'} in its path.\n`);
  total.failures = 1;
}
const lanes = values.long || all.length === 1 ? 1 : 3;
const [first, last] = [() => waiting.shift(), () => waiting.pop()];
await Promise.all(Array.from({ length: all.length === 0 ? 0 : lanes }, (_, index) => lane(index === 0 ? first : last)));
if (failed.length > 0) process.stdout.write(`\nFailed:\n\n${failed.join('\n\n')}\n`);
if (missing.length > 0) process.stdout.write('Suites that could not run:\n');
for (const { suite, why } of missing) process.stdout.write(`  ${suite}: ${why}\n`);

const slowest = took.sort((one, other) => other.seconds - one.seconds).slice(0, 40);
if (took.length > slowest.length) {
  process.stdout.write('\nWhat took longest:\n');
  for (const { spec, seconds } of slowest) process.stdout.write(`  ${seconds.toFixed(1)} s ${spec}\n`);
}

const { answers, successes, wrong } = watched.end();
const unanswered = [...successes].flatMap(([operation, count]) => (count === 0 ? [operation] : []));
// Only a whole run gets an answer of each.
const isWhole = names.length === 0 && !values.long;
process.stdout.write(`\n${answers} answers held against the OpenAPI documents; with 2xx, by operation:\n`);
for (const [operation, count] of successes) if (count > 0) process.stdout.write(`  ${count} ${operation}\n`);
if (wrong.length > 0) process.stdout.write(`\nAnswers that the documents do not know:\n\n${wrong.join('\n\n')}\n`);
if (isWhole && unanswered.length > 0)
  process.stdout.write(`\nNever answered with 2xx:\n  ${unanswered.join('\n  ')}\n`);
total.failures += (wrong.length > 0 ? 1 : 0) + (isWhole && unanswered.length > 0 ? 1 : 0);
const { passes, failures, pending } = total;
process.stdout.write(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`);
process.exit(failures > 0 ? 1 : 0);
