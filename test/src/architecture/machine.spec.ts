import { expect } from 'chai';
import { files, read } from './tree.fixture.ts';

const texts = files.filter((path) => !/\.(gz|png|ico)$/.test(path) && path !== 'package-lock.json');

const saying = (pattern: RegExp): readonly string[] => texts.filter((path) => pattern.test(read(path)));

// Written in pieces so that this file does not hold what it looks for.
const homes = ['home', 'root', 'Users', 'work'].join('|');
const absolute = new RegExp(`["'\`( =](/(${homes})/[A-Za-z]|[A-Z]:\\\\\\\\)`, 'm');
const outside = new RegExp(['\\.\\.', 'shared'].join('/'));

describe('the project', () => {
  it('has texts to look at', () => {
    expect(texts).to.have.length.greaterThan(350);
  });

  it('names no folder of one machine', () => {
    expect(saying(absolute)).to.deep.equal([]);
  });

  it('reads nothing beside itself', () => {
    expect(saying(outside)).to.deep.equal([]);
  });
});
