/**
 * The fault suite: the specs that docs/faults.md names.
 *
 *   node test/faults.mjs               the first of each fault in its short form, in three lanes
 *   node test/faults.mjs --all         all of them
 *   node test/faults.mjs --rounds N    those that count rounds, N rounds each (or A..B), one after the other
 *   node test/faults.mjs --long        in their long forms, one after the other
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const here = import.meta.dirname;
const { values } = parseArgs({
  options: { rounds: { type: 'string' }, long: { type: 'boolean' }, all: { type: 'boolean' } },
});
const { rounds } = values;

const page = readFileSync(join(here, '../docs/faults.md'), 'utf8');
const counts = (path) => /\bchooseRound(?:s|Range)\(/.test(readFileSync(join(here, 'src', path), 'utf8'));
const isLong = values.long === true || rounds !== undefined;
/** By fault. */
const named = page
  .split('\n')
  .filter((line) => /^\| +\d+ +\|/.test(line))
  .map((line) => [...line.matchAll(/\]\(\.\.\/test\/src\/(\S+?\.spec\.ts)\)/g)].map(([, path]) => path));
const chosen = new Set(named.flatMap((specs) => (isLong || values.all ? specs : specs.slice(0, 1))));
const specs = [...chosen].filter((path) => rounds === undefined || counts(path));

const { status } = spawnSync(process.execPath, [join(here, 'run.mjs'), ...(isLong ? ['--long'] : []), ...specs], {
  stdio: 'inherit',
  env: { ...process.env, ...(rounds !== undefined && { POPSVC_ROUNDS: rounds }) },
});
process.exit(status ?? 1);
