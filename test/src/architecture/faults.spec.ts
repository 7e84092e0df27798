import { expect } from 'chai';
import { dirname, join } from 'node:path';
import { files, manifest, read } from './tree.fixture.ts';

const rows = read('docs/faults.md')
  .split('\n')
  .filter((line) => /^\| +\d+ +\|/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** A spec, with the suites it runs. */
const textOf = (path: string): string => {
  const text = read(path);
  const suites = [...text.matchAll(/from '\.\/([\w-]+\.suite\.ts)'/g)].map(([, name = '']) =>
    join(dirname(path), name),
  );
  return [text, ...suites.map(read)].join('\n');
};

describe('the table of faults', () => {
  it('has each of the fifty once, in order', () => {
    expect(rows.map(([, number]) => Number(number))).to.deep.equal(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it('names specs that are there, and tests that stand in them', () => {
    const wrong: string[] = [];
    for (const [, number, , , shown = ''] of rows)
      for (const spec of shown.split('<br>')) {
        const [, name = '', path = '', rest = ''] = /^\[(.+?)\]\(\.\.\/(.+?)\)(.*)$/.exec(spec) ?? [];
        if (path === '') continue;
        if (path !== `test/src/${name}.spec.ts` || !files.includes(path)) wrong.push(`${number}: no ${path}`);
        else
          for (const [, test = ''] of rest.matchAll(/_([^_]+)_/g))
            if (!textOf(path).includes(test)) wrong.push(`${number}: ${path} has no test "${test}"`);
      }
    expect(wrong).to.deep.equal([]);
  });

  it('says of each what shows it, or how it is shown elsewhere', () => {
    const without = rows.filter(([, , , , shown = '', often = '']) => !shown.includes('](') && !often.includes('`'));
    expect(without.map(([, number]) => number)).to.deep.equal([]);
  });

  it('is what npm run test:faults runs, with every spec of the room of faults', () => {
    expect(manifest().scripts?.['test:faults']).to.include('test/faults.mjs');
    const page = read('docs/faults.md');
    const own = files.filter((path) => /^test\/src\/faults\/.*\.spec\.ts$/.test(path) && !path.includes('fault-proxy'));
    expect(own.filter((path) => !page.includes(`(../${path})`))).to.deep.equal([]);
  });
});
