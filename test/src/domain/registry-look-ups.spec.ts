import { PLAY_REFERENCES } from '@popsvc/contracts/responses';
import {
  emptyRegistry,
  currentEntities,
  currentEntity,
  foldRegistry,
  knownIds,
  networkNameKey,
  networkOf,
  networkOfCamera,
  networkOfDevice,
  networkOfFeeder,
  registryKey,
  screenZone,
} from '@popsvc/domain/registry';
import { expect } from 'chai';
import { at, changed, history, registered, retired } from './given-registry.ts';
import { campaign, creative, device, harbour, location, otherNetwork, site } from './registry-harbour.ts';

describe('the registry', () => {
  const registry = history(harbour);

  it('finds the network of every id of a vendor', () => {
    expect([networkOfDevice(registry, 4), networkOfFeeder(registry, 5), networkOfCamera(registry, 6)]).to.deep.equal([
      1, 1, 1,
    ]);
  });

  it('finds nothing for unknown ids', () => {
    expect([networkOfDevice(registry, 5), networkOfFeeder(registry, 4), networkOfCamera(registry, 1)]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
    expect(networkOfDevice(emptyRegistry(), 4)).to.equal(undefined);
  });

  it('keys entities by id, code, network and external id, network and version', () => {
    expect(currentEntity(registry, 'sites', '2')).to.deep.equal(site);
    expect(currentEntity(registry, 'vendors', 'acme')?.name).to.equal('Acme player');
    expect(currentEntity(registry, 'campaigns', '7')?.external_id).to.equal('C-100');
    expect(currentEntity(registry, 'creatives', '1/CR-1')).to.deep.equal(creative);
    expect(currentEntity(registry, 'metric_definitions', '1/1')?.thresholds.impression_ms).to.equal(1_500);
    expect(currentEntity(registry, 'creatives', '10/CR-1')).to.equal(undefined);
  });

  it('contains all ids that a play can name, also retired and former ones', () => {
    const later = history([
      ...harbour,
      changed('devices', { ...device, screen_ids: ['screen-2', 'screen-3'] }),
      retired('devices', { ...device, screen_ids: ['screen-2', 'screen-3'] }),
      changed('campaigns', { ...campaign, external_id: 'C-101' }),
      retired('creatives', creative),
    ]);
    expect([...knownIds(later, 1, 'screenId').keys()]).to.have.members(['screen-1', 'screen-2', 'screen-3']);
    expect([...knownIds(later, 1, 'campaignId').keys()]).to.have.members(['C-100', 'C-101']);
    expect([...knownIds(later, 1, 'creativeId').keys()]).to.deep.equal(['CR-1']);
    for (const field of PLAY_REFERENCES) expect(knownIds(later, 10, field).size).to.equal(0);
  });

  it('creates the keys of streams', () => {
    expect(registryKey('devices', { ...device })).to.equal('4');
    expect(registryKey('creatives', creative, 1)).to.equal('1/CR-1');
    expect(() => registryKey('creatives', creative)).to.throw('network');
  });

  it('returns the network of an entity, and none for apps', () => {
    expect(networkOf(registry, 'creatives', creative)).to.equal(1);
    expect(networkOf(registry, 'apps', { code: 'player', name: 'x' })).to.equal(undefined);
  });

  it('has the names of the last event, although it takes effect at another time', () => {
    const renamed = history([
      ...harbour,
      changed('sites', { ...site, name: 'Tomorrow', effective_from: '2030-01-01T00:00:00Z' }),
      changed('sites', { ...site, name: 'Yesterday', effective_from: '2020-01-01T00:00:00Z' }),
    ]);
    expect(currentEntity(renamed, 'sites', '2')?.name).to.equal('Yesterday');
  });

  it('marks retired entities, and unmarks them when they are registered again', () => {
    const without = [...harbour, retired('devices', device)];
    expect(currentEntity(history(without), 'devices', '4')?.retired).to.equal(true);
    expect(networkOfDevice(history(without), 4)).to.equal(1);
    expect(currentEntities(history(without), 'devices')).to.have.length(1);
    expect(currentEntity(history([...without, registered('devices', device)]), 'devices', '4')?.retired).to.equal(
      undefined,
    );
  });

  it('ignores repeated events and events of other kinds', () => {
    const twice = history(harbour, history([...harbour, changed('locations', { ...location, name: 'Upstairs' })]));
    expect(currentEntity(twice, 'locations', '3')?.name).to.equal('Upstairs');
    foldRegistry(twice, { type: 'PlaysRecorded', data: {}, atMs: 0, position: 99 });
    expect(currentEntities(twice, 'locations')).to.have.length(2);
  });

  it('returns the time zone of a screen as of a log position, whatever events follow', () => {
    const moved = history([
      ...harbour,
      changed('devices', { ...device, timezone: 'Asia/Tokyo', screen_ids: ['screen-3'] }),
    ]);
    const zones = (position?: number) =>
      ['screen-1', 'screen-3'].map((screen) => screenZone(moved, 1, screen, at('2026-01-01T00:00:00Z'), position));
    const registration = harbour.findIndex(({ kind }) => kind === 'devices') + 1;
    expect(zones(registration - 1)).to.deep.equal([undefined, undefined]);
    expect(zones(registration)).to.deep.equal(['Europe/Lisbon', undefined]);
    expect(zones()).to.deep.equal([undefined, 'Asia/Tokyo']);
  });

  it('accepts positions as bigints', () => {
    const big = emptyRegistry();
    foldRegistry(big, { type: 'NetworkRegistered', data: otherNetwork, atMs: 0, position: 2n });
    foldRegistry(big, { type: 'NetworkChanged', data: { ...otherNetwork, name: 'B' }, atMs: 0, position: 3n });
    expect(currentEntities(big, 'networks').map(({ name }) => name)).to.deep.equal(['B']);
  });

  it('allows campaigns of different networks to have creatives with the same external id', () => {
    const both = history([
      ...harbour,
      registered('campaigns', { ...campaign, id: 17, network: 10 }),
      registered('creatives', { ...creative, campaign: 17, title: 'other' }),
    ]);
    expect(currentEntity(both, 'creatives', '1/CR-1')?.title).to.equal('coats 10s');
    expect(currentEntity(both, 'creatives', '10/CR-1')?.title).to.equal('other');
  });

  it('compares names of networks trimmed and without case', () =>
    expect(networkNameKey(' HARBOUR Média ')).to.equal(networkNameKey('harbour Me\u0301dia')));
});
