import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../architecture/tree.fixture.ts';
import { parseManifests, render, values } from './chart.fixture.ts';

describe('npm run helm:render', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'popsvc-helm-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(root, 'tools/dist/helm/main.js'), ...args], { encoding: 'utf8' });
  const writeValues = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  it('prints the manifests of a release, of which later values override earlier ones', () => {
    const [first, second] = ['worker: { replicas: 5, jobs: 2 }', 'worker: { replicas: 7 }'] as const;
    const files = ['-f', writeValues('first.yaml', first), '--values', writeValues('second.yaml', second)];
    const { stdout, status } = run('--name', 'shop', '--namespace', 'ads', ...files);
    expect(status).to.equal(0);
    expect(parseManifests(stdout)).to.deep.equal(render(values(first), values(second)));
    expect(stdout).to.include('# Source: popsvc/templates/worker.yaml');
  });

  it('prints the notes', () => {
    expect(run('--notes').stdout).to.match(/^popsvc \S+ is being started in the namespace popsvc\.\n/);
  });

  it('prints what is wrong with the values, and nothing else', () => {
    const { stdout, stderr, status } = run('-f', writeValues('wrong.yaml', 'workers: {}'));
    expect([stdout, status]).to.deep.equal(['', 1]);
    expect(stderr).to.match(/^The values do not match the schema of the chart popsvc:\n.*"workers".*\n$/);
  });
});
