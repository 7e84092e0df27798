import { expect } from 'chai';
import { read, sources, stemOf } from './tree.fixture.ts';

const matching = (pattern: RegExp): readonly string[] => sources.filter((path) => pattern.test(read(path)));

// Assembled from pieces, so that this file does not match.
const todoMarkers = new RegExp(
  `\\b(${['TO', 'FIX', 'XX'].map((start, index) => start + ['DO', 'ME', 'X'][index]!).join('|')})\\b`,
);
const exclusiveTests = new RegExp(['\\b(describe|it|context)', 'only\\('].join('\\.'));
const suppressions = new RegExp(
  [['(eslint|oxlint)', 'disable'].join('-'), ['@ts', '(ignore|nocheck|expect-error)'].join('-')].join('|'),
);

describe('sources', () => {
  it('are found', () => {
    expect(sources).to.have.length.greaterThan(300);
  });

  it('have specific names in kebab-case', () => {
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

  it('are at most two folders below src', () => {
    expect(sources.filter((path) => path.split('/').length > 5)).to.deep.equal([]);
  });

  it('have no markers of unfinished work', () => {
    expect(matching(todoMarkers)).to.deep.equal([]);
  });

  it('have no exclusive tests', () => {
    expect(matching(exclusiveTests)).to.deep.equal([]);
  });

  it('suppress no lint or type error', () => {
    expect(matching(suppressions)).to.deep.equal([]);
  });

  it('have no default exports', () => {
    expect(matching(/^export default/m)).to.deep.equal([]);
  });
});
