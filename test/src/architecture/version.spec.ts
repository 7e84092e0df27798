import { execFile } from 'node:child_process';
import { cpSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { popsvcVersion } from '@popsvc/platform/runtime';
import { describedServers } from '@popsvc/tools/reference-pages';
import { createPopsvcCommand, temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { manifest, read, root, workspaces } from './tree.fixture.ts';

describe('the version of the release', () => {
  it('is the same in every package.json, and in what packages require of each other', () => {
    const versions = [manifest(), ...workspaces.map((name) => manifest(name))].flatMap(
      ({ version, dependencies = {}, devDependencies = {} }) => [
        version,
        ...Object.entries({ ...dependencies, ...devDependencies })
          .filter(([name]) => name.startsWith('@popsvc/'))
          .map(([, required]) => required),
      ],
    );
    expect(versions).to.have.length.greaterThan(workspaces.length);
    expect([...new Set(versions)]).to.deep.equal([popsvcVersion]);
  });

  it('heads the changelog', () => {
    expect(/^## \[([^\]]+)\]/m.exec(read('CHANGELOG.md'))?.[1]).to.equal(popsvcVersion);
  });

  it('is the tag of the images of docker-compose.yml', () => {
    const tags = [...read('docker-compose.yml').matchAll(/image: popsvc\/[a-z-]+:(\S+)/g)].map(([, tag]) => tag);
    expect(tags).to.have.length(5);
    expect([...new Set(tags)]).to.deep.equal([popsvcVersion]);
  });

  it('is the version of every OpenAPI document', () => {
    for (const { name, document } of describedServers)
      expect(document.info, name).to.have.property('version', popsvcVersion);
  });

  it('is what popsvc --version prints', async () => {
    const { code, stdout } = await createPopsvcCommand({})('--version');
    expect([code, stdout.trim()]).to.deep.equal([0, popsvcVersion]);
  });

  it('is what popsvc --version prints if a source is newer than the build', async () => {
    // A copy: other specs run the command line at the same time.
    const copy = await temporaryFolder('version');
    cpSync(join(root, 'cli'), join(copy, 'cli'), { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    for (const name of [
      'contracts',
      'domain',
      'platform',
      'http-kit',
      'client',
      'node_modules',
      'package.json',
      'tsconfig.base.json',
    ])
      symlinkSync(join(root, name), join(copy, name));
    const builtMs = statSync(join(copy, 'cli/dist/.tsbuildinfo')).mtimeMs;
    const inTheFuture = new Date(Date.now() + 3_600_000);
    utimesSync(join(copy, 'cli/src/main.ts'), inTheFuture, inTheFuture);
    const { stdout } = await promisify(execFile)(process.execPath, [join(copy, 'cli/bin/popsvc.js'), '--version']);
    expect(stdout.trim()).to.equal(popsvcVersion);
    expect(statSync(join(copy, 'cli/dist/.tsbuildinfo')).mtimeMs).to.be.greaterThan(builtMs);
  });
});
