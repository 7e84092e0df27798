import type { MappingRegistered } from '@popsvc/contracts/events';
import { emptyMappings, foldMapping, mappingInForce, mappingsInForce, mappingVersions } from '@popsvc/domain/mappings';
import { expect } from 'chai';
import { eventWith, mappingWith, playWith, inLondon } from './given-mapping.ts';

const registered = (version: number, schemaVersion = 'flat-1', vendor = 'acme'): MappingRegistered => ({
  network: 1,
  version,
  mapping: { ...mappingWith(), vendor, schema_version: schemaVersion },
});

const fold = (...events: readonly (readonly [MappingRegistered, bigint])[]) =>
  events.reduce((mappings, [data, position]) => foldMapping(mappings, data, position), emptyMappings());

describe('The mappings of the log', () => {
  it('are empty at first', () => {
    expect(mappingInForce(emptyMappings(), 'acme', 'flat-1')).to.equal(undefined);
    expect(mappingVersions(emptyMappings(), 'acme', 'flat-1')).to.deep.equal([]);
  });

  it('are kept by version, and the newest is in force', () => {
    const mappings = fold([registered(1), 10n], [registered(2), 20n], [registered(1, 'flat-2'), 30n]);
    expect(
      mappingVersions(mappings, 'acme', 'flat-1').map(({ version, position }) => [version, position]),
    ).to.deep.equal([
      [1, 10n],
      [2, 20n],
    ]);
    expect(mappingInForce(mappings, 'acme', 'flat-1')).to.include({ version: 2, position: 20n });
    expect(mappingInForce(mappings, 'acme', 'flat-2')).to.include({ version: 1, position: 30n });
    expect(mappingInForce(mappings, 'other', 'flat-1')).to.equal(undefined);
    expect(mappingsInForce(mappings).map(({ mapping }) => mapping.schema_version)).to.deep.equal(['flat-1', 'flat-2']);
  });

  it('do not change when the log is folded again', () => {
    const mappings = fold([registered(1), 10n], [registered(2), 20n], [registered(1), 10n], [registered(2), 20n]);
    expect(mappingVersions(mappings, 'acme', 'flat-1')).to.have.length(2);
  });

  it('are compiled', () => {
    const { map } = mappingInForce(fold([registered(1), 10n]), 'acme', 'flat-1')!;
    expect(map(eventWith(), inLondon)).to.deep.equal({ play: playWith() });
  });

  it('distinguish vendors and schema versions with similar names', () => {
    const mappings = fold([registered(1, 'b c', 'a1'), 1n], [registered(1, 'c', 'a1'), 2n]);
    expect(mappingVersions(mappings, 'a1', 'b c')).to.have.length(1);
    expect(mappingVersions(mappings, 'a1', 'c')).to.have.length(1);
    expect(mappingVersions(mappings, 'a1', '__proto__')).to.have.length(0);
  });
});
