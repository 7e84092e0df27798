import { expect } from 'chai';
import { counts } from './counts-by-kind.ts';
import { given, registered, retired, type WrittenFile } from './given-registry.ts';
import { device, harbour, harbourFile } from './registry-harbour.ts';

const march = '2026-03-01T00:00:00.000Z';
const devices = (...written: object[]): WrittenFile => ({ devices: written });

describe('retiring by a registry file', () => {
  const gone = { ...device, retired: true };

  it('is a separate event', () =>
    given(...harbour)
      .when(devices(gone))
      .then(['DeviceRetired', '4', gone]));
  it('is not repeated', () =>
    given(...harbour, retired('devices', gone))
      .when(devices(gone))
      .thenNothing());
  it('is counted', () =>
    expect(
      given(...harbour)
        .when(devices(gone))
        .plan().counts.retired,
    ).to.deep.equal(counts({ devices: 1 })));
  it('is undone by an entity that is not retired', () =>
    given(...harbour, retired('devices', gone))
      .when(devices(device))
      .then(['DeviceRegistered', '4', device]));
  it('is undone with a change, and not by creating the entity', () => {
    const counted = given(...harbour, retired('devices', gone))
      .when(devices(device))
      .plan().counts;
    expect([counted.created, counted.changed]).to.deep.equal([counts({}), counts({ devices: 1 })]);
  });
  it('with false equals a missing field', () =>
    given(...harbour)
      .when(devices({ ...device, retired: false }))
      .thenNothing());
  it('allows renaming a retired entity', () =>
    given(...harbour, retired('devices', gone))
      .when(devices({ ...gone, name: 'Old' }))
      .then(['DeviceChanged', '4', { ...gone, name: 'Old' }]));
  it('first registers an unknown entity, so that it has a history', () => {
    const { changes, counts: counted } = given(...harbour)
      .when(devices({ id: 44, name: 'Old', location: 3, screen_ids: ['old'], retired: true, effective_from: march }))
      .plan();
    const old = { id: 44, name: 'Old', location: 3, screen_ids: ['old'] };
    expect(changes.map(({ type, data }) => [type, data])).to.deep.equal([
      ['DeviceRegistered', old],
      ['DeviceRetired', { ...old, retired: true, effective_from: march }],
    ]);
    expect([counted.created.devices, counted.retired.devices]).to.deep.equal([1, 1]);
  });
  it('does not change references to the entity, also in the same file', () =>
    given(...harbour)
      .when({ ...harbourFile, devices: [gone] })
      .then(['DeviceRetired', '4', gone]));
});

describe('screens that move', () => {
  const second = { id: 24, name: 'Second', location: 3, screen_ids: ['screen-9'] };
  const both = [...harbour, registered('devices', second)];

  it('are added before they are removed, so that they always have a device', () => {
    const { changes } = given(...both)
      .when(devices({ ...device, screen_ids: ['screen-2'] }, { ...second, screen_ids: ['screen-9', 'screen-1'] }))
      .plan();
    expect(changes.map(({ key }) => key)).to.deep.equal(['24', '4']);
  });
  it('can be swapped', () =>
    expect(
      given(...both)
        .when(devices({ ...device, screen_ids: ['screen-9'] }, { ...second, screen_ids: ['screen-1'] }))
        .plan().changes,
    ).to.have.length(2));
  it('can move to a replacement when their device is retired', () =>
    given(...harbour)
      .when(devices({ ...device, retired: true }, { ...second, screen_ids: ['screen-1'] }))
      .then(
        ['DeviceRegistered', '24', { ...second, screen_ids: ['screen-1'] }],
        ['DeviceRetired', '4', { ...device, retired: true }],
      ));
});
