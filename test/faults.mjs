/**
 * The fault suite: the specs that docs/faults.md names.
 *
 *   node test/faults.mjs               in their short forms, in three lanes
 *   node test/faults.mjs --rounds N    those that count rounds, N rounds each, one after the other
 *   node test/faults.mjs --long        in their long forms, one after the other
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const here = import.meta.dirname;
const { values } = parseArgs({ options: { rounds: { type: 'string' }, long: { type: 'boolean' } } });
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
  process.stderr.write('--rounds takes a number from 1 on.\n');
  process.exit(2);
}

const page = readFileSync(join(here, '../docs/faults.md'), 'utf8');
const named = [...new Set([...page.matchAll(/\]\(\.\.\/test\/src\/(\S+?\.spec\.ts)\)/g)].map(([, path]) => path))];
const counts = (path) => /\broundsOf\(/.test(readFileSync(join(here, 'src', path), 'utf8'));
const specs = rounds === undefined ? named : named.filter(counts);
const isLong = values.long === true || rounds !== undefined;

const { status } = spawnSync(process.execPath, [join(here, 'run.mjs'), ...(isLong ? ['--long'] : []), ...specs], {
  stdio: 'inherit',
  env: { ...process.env, ...(rounds !== undefined && { POPSVC_ROUNDS: String(rounds) }) },
});
process.exit(status ?? 1);
