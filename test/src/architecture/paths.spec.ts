import { expect } from 'chai';
import { files, read } from './tree.fixture.ts';

const texts = files.filter((path) => !/\.(gz|png|ico)$/.test(path) && path !== 'package-lock.json');

const matching = (pattern: RegExp): readonly string[] => texts.filter((path) => pattern.test(read(path)));

// Assembled from pieces, so that this file does not match.
const homes = ['home', 'root', 'Users', 'work'].join('|');
const absolute = new RegExp(`["'\`( =](/(${homes})/[A-Za-z]|[A-Z]:\\\\\\\\)`, 'm');
const outside = new RegExp(['\\.\\.', 'shared'].join('/'));

describe('paths in the repository', () => {
  it('are searched in all text files', () => {
    expect(texts).to.have.length.greaterThan(350);
  });

  it('contain no folder of a specific machine', () => {
    expect(matching(absolute)).to.deep.equal([]);
  });

  it('do not leave the repository', () => {
    expect(matching(outside)).to.deep.equal([]);
  });
});
