import { createHash } from 'node:crypto';
import { PopEvent } from '@popsvc/contracts/commands';
import { Mapping } from '@popsvc/contracts/mappings';
import { dropNulls } from '@popsvc/contracts/nulls';
import { canonicalContent } from '@popsvc/domain/intake';
import { mapEvent } from '@popsvc/domain/mappings';
import { expect } from 'chai';
import { read } from '../architecture/tree.fixture.ts';
import { contentHashVectors } from '../support/content-hash-vectors.ts';
import { surroundings } from './given-mapping.ts';

describe('the hash of the content of a play', () => {
  for (const { title, play, json, contentHash } of contentHashVectors)
    it(`equals the published hash: ${title}`, () => {
      expect(canonicalContent(dropNulls(PopEvent, structuredClone(play)))).to.equal(json);
      expect(createHash('sha256').update(json).digest('hex')).to.equal(contentHash);
    });

  it('is that of the play that a mapping made', () => {
    const mapped = contentHashVectors.filter(({ mapping }) => mapping !== undefined);
    expect(mapped).to.have.length.above(0);
    for (const { mapping, event, play } of mapped)
      expect(mapEvent(Mapping.parse(mapping), event, surroundings(undefined))).to.deep.include({ play });
  });

  it('is shown in the guide for vendors, with the text', () => {
    const { contentHash, json } = contentHashVectors[0]!;
    expect(read('docs/guides/vendors.md')).to.include(`"contentHash": "${contentHash}"`).and.include(`\`${json}\``);
  });
});
