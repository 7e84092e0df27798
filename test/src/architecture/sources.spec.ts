import { expect } from 'chai';
import { read, sources, stemOf } from './tree.fixture.ts';

const saying = (pattern: RegExp, of: readonly string[] = sources): readonly string[] =>
  of.filter((path) => pattern.test(read(path)));

// Put together here, so that this file does not hold what it looks for.
const unfinished = new RegExp(
  `\\b(${['TO', 'FIX', 'XX'].map((start, index) => start + ['DO', 'ME', 'X'][index]!).join('|')})\\b`,
);
const alone = new RegExp(['\\b(describe|it|context)', 'only\\('].join('\\.'));
const silenced = new RegExp(
  [['eslint', 'disable'].join('-'), ['@ts', '(ignore|nocheck|expect-error)'].join('-')].join('|'),
);

describe('sources', () => {
  it('are there', () => {
    expect(sources).to.have.length.greaterThan(300);
  });

  it('are named in kebab-case, and for what they hold', () => {
    const vague = /^(utils?|helpers?|common|misc|manager|shared|tools?|stuff)$/;
    const parts = (path: string) =>
      path
        .split('/')
        .slice(2)
        .flatMap((name) => stemOf(name).split('.'));
    const wrong = sources.filter((path) =>
      parts(path).some((part) => vague.test(part) || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(part)),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('stand at most two folders below src', () => {
    expect(sources.filter((path) => path.split('/').length > 5)).to.deep.equal([]);
  });

  it('leave nothing for later', () => {
    expect(saying(unfinished)).to.deep.equal([]);
  });

  it('run every spec', () => {
    expect(saying(alone)).to.deep.equal([]);
  });

  it('silence no check', () => {
    expect(saying(silenced)).to.deep.equal([]);
  });

  it('export by name', () => {
    expect(saying(/^export default/m)).to.deep.equal([]);
  });
});
