/**
 * Makes an archive for upgrade.e2e.spec.ts with the release in another folder (test/data/upgrade/README.md):
 *
 *   node test/dist/embedded/upgrade-archive.main.js FOLDER ARCHIVE
 */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type * as Rig from '@popsvc/tools/rig';
import { fillInstallation, readAnswers } from './upgrade.fixture.ts';

const run = promisify(execFile);
const [release, archive] = process.argv.slice(2).map((path) => resolve(path));
if (release === undefined || archive === undefined) throw new Error('usage: upgrade-archive.main.js FOLDER ARCHIVE');

const { endRun, popsvcBin, startService, temporaryFolder } = (await import(
  pathToFileURL(join(release, 'tools/dist/rig/index.js')).href
)) as typeof Rig;

try {
  const folder = await temporaryFolder('archive');
  const service = await startService();
  const issued = await fillInstallation(service.credentials);
  const answers = await readAnswers(service.credentials);
  await writeFile(join(folder, 'answers.json'), JSON.stringify({ ...answers, issued }, undefined, 1));
  await mkdir(join(folder, 'data-dir'));
  const env = { PATH: process.env['PATH'], DATA_DIR: service.dataDir };
  await run(process.execPath, [popsvcBin, 'backup', 'create', join(folder, 'data-dir')], { env });
  await service.stop();
  // Without owners, so that the archive does not depend on the account that makes it.
  await run('tar', [
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '-C',
    folder,
    '-czf',
    archive,
    'answers.json',
    'data-dir',
  ]);
} finally {
  await endRun();
}
