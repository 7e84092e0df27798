/**
 * Tests docker-compose.yml: builds the images, runs them as the Compose project `popsvc-compose-test`, and removes it. Needs root, a
 * Docker on this machine, Compose 2, debootstrap, and the free ports 8080, 8081, 8082 and 8123.
 *
 *   node test/compose.mjs
 *
 * Stand-ins replace the images of the engines and of Node.js (test/compose), so that no image registry is needed. Their images remain for
 * the next run: docker image rm $(docker image ls --quiet 'popsvc-compose-test/*')
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const works = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;
const needs = [
  ['to run as root', () => process.getuid?.() === 0],
  ['a running Docker', () => works('docker', 'info')],
  ['Compose 2', () => works('docker', 'compose', 'version')],
  ['debootstrap', () => works('debootstrap', '--version')],
  ['openssl', () => works('openssl', 'version')],
];
const missing = needs.filter(([, isMet]) => !isMet()).map(([need]) => need);
if (missing.length > 0) {
  process.stdout.write(`Suites that could not run:\n  docker-compose.yml: needs ${missing.join(', ')}\n`);
  process.stdout.write('On Debian, test/compose/install-docker.sh installs them.\n0 passed, 0 failed, 1 skipped\n');
  process.exit(0);
}

const work = join(tmpdir(), 'popsvc-compose-test');
mkdirSync(work, { recursive: true });
const began = performance.now();
const root = join(import.meta.dirname, '..');
const built = spawnSync('bash', ['test/compose/build-stand-ins.sh', work], { cwd: root, stdio: 'inherit' });
if (built.status !== 0) process.exit(1);
process.stdout.write(`built the stand-ins in ${((performance.now() - began) / 1000).toFixed(0)} s\n`);

const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'run.mjs'), 'compose/compose.external'], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(status ?? 1);
