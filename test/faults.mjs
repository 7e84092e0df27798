/**
 * The fault suite: the specs that docs/faults.md names.
 *
 *   node test/faults.mjs               the first of each fault in its short form, in three lanes
 *   node test/faults.mjs --all         all of them
 *   node test/faults.mjs --rounds N    those that count rounds, N rounds each, one after the other
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
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
  process.stderr.write('--rounds takes a number from 1 on.\n');
  process.exit(2);
}

const page = readFileSync(join(here, '../docs/faults.md'), 'utf8');
const counts = (path) => /\bchooseRounds\(/.test(readFileSync(join(here, 'src', path), 'utf8'));
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
  env: { ...process.env, ...(rounds !== undefined && { POPSVC_ROUNDS: String(rounds) }) },
});
process.exit(status ?? 1);
