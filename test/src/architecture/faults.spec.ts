import { expect } from 'chai';
import { dirname, join } from 'node:path';
import { files, manifest, read } from './tree.fixture.ts';

const rows = read('docs/faults.md')
  .split('\n')
  .filter((line) => /^\| +\d+ +\|/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** The text of a spec and of the suites that it imports. */
const textOf = (path: string): string => {
  const text = read(path);
  const suites = [...text.matchAll(/from '\.\/([\w-]+\.suite\.ts)'/g)].map(([, name = '']) =>
    join(dirname(path), name),
  );
  return [text, ...suites.map(read)].join('\n');
};

describe('docs/faults.md', () => {
  it('numbers the faults from 1 to 50', () => {
    expect(rows.map(([, number]) => Number(number))).to.deep.equal(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it('names existing specs and tests', () => {
    const wrong: string[] = [];
    for (const [, number, , , shown = ''] of rows)
      for (const spec of shown.split('<br>')) {
        const [, name = '', path = '', rest = ''] = /^\[(.+?)\]\(\.\.\/(.+?)\)(.*)$/.exec(spec) ?? [];
        if (path === '') continue;
        if (path.replace('.e2e.spec.ts', '.spec.ts') !== `test/src/${name}.spec.ts` || !files.includes(path))
          wrong.push(`${number}: no ${path}`);
        else
          for (const [, test = ''] of rest.matchAll(/_([^_]+)_/g))
            if (!textOf(path).includes(test)) wrong.push(`${number}: ${path} has no test "${test}"`);
      }
    expect(wrong).to.deep.equal([]);
  });

  it('names a spec or a script for each fault', () => {
    const without = rows.filter(([, , , , shown = '', often = '']) => !shown.includes('](') && !often.includes('`'));
    expect(without.map(([, number]) => number)).to.deep.equal([]);
  });

  it('names every spec of test/src/faults, and npm run test:faults exists', () => {
    expect(manifest().scripts?.['test:faults']).to.include('test/faults.mjs');
    const page = read('docs/faults.md');
    const own = files.filter((path) => /^test\/src\/faults\/.*\.spec\.ts$/.test(path) && !path.includes('fault-proxy'));
    expect(own.filter((path) => !page.includes(`(../${path})`))).to.deep.equal([]);
  });
});
