/**
 * Runs specs. The suffix of a spec says which command runs it:
 *
 *   *.spec.ts           the gate, `npm test`: units, engines, one walk through each feature
 *   *.e2e.spec.ts       the second command, `npm run test:e2e`: kills, damage, restores, fairness, sizes, browsers, other engines
 *   *.long….spec.ts     has two forms: short and seeded by default, and long with POPSVC_LONG=1, which `npm run test:long` sets
 *   *.external.spec.ts  needs servers that are not part of the project: test/external.mjs, test/cluster.mjs and test/compose.mjs
 *
 *   node test/run.mjs [NAME...]           the gate in four lanes, or the specs of both commands whose path contains a NAME
 *   node test/run.mjs --e2e [NAME...]     the second command in three lanes
 *   node test/run.mjs --long [NAME...]    the long forms, one after the other: all, or the specs whose path contains a NAME
 *   node test/run.mjs --serial [NAME...]  one spec after the other, for specs that share a server with others
 *
 * With --rounds A..B or --rounds N and --seed S, specs that count rounds run these rounds with this seed.
 *
 * A spec that fails runs once more, alone. If it passes then, the run passes and prints `flaky: SPEC` above its last line. Every response
 * of every server of the run is checked against the OpenAPI documents; one that does not match fails the run. With CI=true a suite that
 * lacks a server binary or root fails. The last line is `N passed, N failed[, N skipped]`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { watchRun } from './dist/openapi/answer-run.js';
import { runInLanes } from './lanes.mjs';

const here = import.meta.dirname;
const { values, positionals: names } = parseArgs({
  options: {
    e2e: { type: 'boolean' },
    long: { type: 'boolean' },
    serial: { type: 'boolean' },
    rounds: { type: 'string' },
    seed: { type: 'string' },
  },
  allowPositionals: true,
});

// A zone that is not UTC and has daylight saving, so that an accidental use of local time fails a test.
const variables = {
  ...process.env,
  TZ: 'America/New_York',
  ...(values.long && { POPSVC_LONG: '1' }),
  ...(values.rounds && { POPSVC_ROUNDS: values.rounds }),
  ...(values.seed && { POPSVC_SEED: values.seed }),
};
const watched = watchRun();
const env = { ...variables, ...watched.env };

const isE2e = (path) => path.endsWith('.e2e.spec.ts');
const isExternal = (path) => path.includes('.external.');
const isOfCommand = (path) => {
  if (names.length > 0) return (!values.e2e || isE2e(path)) && names.some((name) => path.includes(name));
  return values.long ? path.includes('.long.') : isE2e(path) === (values.e2e === true);
};

// Listed by source: dist may still hold specs that were renamed or deleted.
const specs = readdirSync(join(here, 'src'), { recursive: true })
  .filter((path) => path.endsWith('.spec.ts') && isOfCommand(path))
  .filter((path) => !isExternal(path) || names.some((name) => name.includes('.external')))
  .sort();
// The longest specs come first, those that take minutes before all others.
const ranks = [
  /^(console|worker)\/.*\.long\.|^projectors\/partitions\//,
  /^faults\//,
  /^e2e\//,
  /\.long\./,
  /^projectors\//,
  /./,
];
const rank = (path) => ranks.findIndex((pattern) => pattern.test(path));
const ordered = specs.toSorted((one, other) => rank(one) - rank(other));

const print = (...lines) => process.stdout.write(`${lines.join('\n')}\n`);

const lanes = values.long || values.serial ? 1 : values.e2e ? 3 : 4;
const { results, failures: otherFailures } = await runInLanes(ordered, lanes, env);

const hasFailed = (spec) => results.get(spec).failures > 0;
const failedOnce = specs.filter(hasFailed);
const firstFailures = failedOnce.flatMap((spec) => results.get(spec).failed);
const flaky = [];
for (const spec of values.long ? [] : failedOnce) {
  print(`${spec} failed; it runs once more, alone.`);
  const again = await runInLanes([spec], 1, env);
  results.set(spec, again.results.get(spec));
  otherFailures.push(...again.failures);
  if (!hasFailed(spec)) flaky.push(spec);
}

const unmatched = names.filter((name) => !specs.some((path) => path.includes(name)));
otherFailures.push(...unmatched.map((name) => `No spec has ${name} in its path.`));
if (specs.length === 0 && names.length === 0) otherFailures.push('There is no spec to run.');

const printList = (title, lines) => lines.length > 0 && print('', `${title}:`, '', ...lines);
if (flaky.length > 0) printList('Failed once', firstFailures);
printList('Failed', [...otherFailures, ...specs.flatMap((spec) => results.get(spec).failed)]);
const missing = specs.flatMap((spec) => results.get(spec).missing);
printList(
  'Suites that could not run',
  missing.map(({ suite, why }) => `  ${suite}: ${why}`),
);

const took = specs.map((spec) => ({ spec, seconds: results.get(spec).seconds }));
const slowest = took.toSorted((one, other) => other.seconds - one.seconds).slice(0, 40);
if (took.length > 5)
  printList(
    'Slowest specs',
    slowest.map(({ spec, seconds }) => `  ${seconds.toFixed(1)} s ${spec}`),
  );

const { answers, successes, wrong } = watched.end();
const called = [...successes].filter(([, count]) => count > 0);
printList(
  `${answers} responses checked against the OpenAPI documents; with 2xx, by operation`,
  called.map(([operation, count]) => `  ${count} ${operation}`),
);
printList('Responses that do not match the documents', wrong);
// Only the whole gate calls every operation.
const isGate = names.length === 0 && !values.long && !values.e2e;
const unanswered = isGate ? [...successes].flatMap(([operation, count]) => (count === 0 ? [operation] : [])) : [];
printList('Operations without a 2xx response', unanswered);

const sum = (count) => specs.reduce((total, spec) => total + results.get(spec)[count], 0);
const passed = sum('passes');
const failed = sum('failures') + otherFailures.length + (wrong.length > 0 ? 1 : 0) + (unanswered.length > 0 ? 1 : 0);
const pending = sum('pending');
const summary = `${passed} passed, ${failed} failed${pending > 0 ? `, ${pending} skipped` : ''}`;

if (values.e2e && names.length === 0) {
  const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: here, encoding: 'utf8' }).trim();
  const folder = join(here, '../test-results');
  mkdirSync(folder, { recursive: true });
  const machine = `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}`;
  const lines = [`commit ${commit}`, summary, machine, ...flaky.map((spec) => `flaky: ${spec}`)];
  writeFileSync(join(folder, `e2e-${commit}.txt`), `${lines.join('\n')}\n`);
}
if (isGate)
  print(
    '',
    'The rest: npm run test:e2e (kills, damage, browsers, other engines), npm run test:long (long forms). CONTRIBUTING.md says when.',
  );
for (const spec of flaky) print(`flaky: ${spec}`);
print(summary);
process.exit(failed > 0 ? 1 : 0);
