/**
 * What `npm test` runs: the specs, one after the other, in this process.
 *
 *   node test/run.mjs [NAME...]          every spec, or those whose path contains a NAME
 *   node test/run.mjs --long [NAME...]   the long forms: every *.long.spec, or the specs whose path contains a NAME
 *
 * A spec named `*.long.spec.ts` has two forms: short and seeded by default, long with POPSVC_LONG=1, which --long sets.
 * With CI=true a suite whose server binary is missing fails. The last line is `N passed, N failed[, N skipped]`.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Mocha from 'mocha';

const here = import.meta.dirname;
const { values, positionals: names } = parseArgs({ options: { long: { type: 'boolean' } }, allowPositionals: true });

// A zone that is neither UTC nor free of daylight saving, so that a use of local time shows.
process.env.TZ = 'America/New_York';
if (values.long) process.env.POPSVC_LONG = '1';
process.setSourceMapsEnabled(true);

// By the sources: the compiled form of a spec that was renamed or deleted may still be there.
const specs = readdirSync(join(here, 'src'), { recursive: true })
  .filter((path) => path.endsWith(values.long && names.length === 0 ? '.long.spec.ts' : '.spec.ts'))
  .filter((path) => names.length === 0 || names.some((name) => path.includes(name)))
  .sort()
  .map((path) => join(here, 'dist', path.replace(/\.ts$/, '.js')));

const mocha = new Mocha({ reporter: 'spec', forbidOnly: true, timeout: values.long ? 3_600_000 : 60_000 });
for (const spec of specs) mocha.addFile(spec);

const finish = async ({ passes = 0, failures = 0, pending = 0 }) => {
  const { missing } = await import('./dist/support/suite-needing.js');
  if (missing.length > 0) process.stdout.write('Suites that could not run:\n');
  for (const { suite, why } of missing) process.stdout.write(`  ${suite}: ${why}\n`);
  process.stdout.write(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`);
  // Not left to the event loop: a handle that a failed test left open must not keep the run from ending.
  process.exit(failures > 0 ? 1 : 0);
};

if (specs.length === 0) {
  process.stderr.write(`No spec has ${names.join(' or ') || 'a long form'} in its path.\n`);
  await finish({ failures: 1 });
}
try {
  await mocha.loadFilesAsync();
} catch (error) {
  process.stderr.write(`${error.stack ?? error}\n`);
  await finish({ failures: 1 });
}
const runner = mocha.run(() => void finish(runner.stats));
