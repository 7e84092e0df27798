import { registryKindNames } from '@popsvc/contracts/registry';
import { expect } from 'chai';
import { changed, given, registered, retired, type WrittenFile } from './given-registry.ts';
import { campaign, definition, device, harbour, harbourFile, location, network, site } from './registry-harbour.ts';

const counts = (some: Record<string, number> = {}) => ({
  ...Object.fromEntries(registryKindNames.map((kind) => [kind, 0])),
  ...some,
});
const march = '2026-03-01T00:00:00.000Z';
const devices = (...written: object[]): WrittenFile => ({ devices: written });

describe('applying a registry file', () => {
  it('registers everything in an order in which references are known', () => {
    const { changes } = given().when(harbourFile).plan();
    expect(changes.map(({ type, key }) => `${type} ${key}`)).to.deep.equal([
      'NetworkRegistered 1',
      'NetworkRegistered 10',
      'VendorRegistered acme',
      'SiteRegistered 2',
      'SiteRegistered 12',
      'LocationRegistered 3',
      'LocationRegistered 13',
      'DeviceRegistered 4',
      'FeederRegistered 5',
      'CameraRegistered 6',
      'AppRegistered player',
      'CampaignRegistered 7',
      'CreativeRegistered 1/CR-1',
      'MetricDefinitionRegistered 1/1',
    ]);
    expect(changes.some(({ before }) => before)).to.equal(false);
  });

  it('does nothing the second time', () =>
    given(...harbour)
      .when(harbourFile)
      .thenNothing());

  it('counts by kind', () => {
    const file = { devices: [{ ...device, name: 'New' }], sites: [site, { ...site, id: 30 }] };
    expect(
      given(...harbour)
        .when(file)
        .plan().counts,
    ).to.deep.equal({
      created: counts({ sites: 1 }),
      changed: counts({ devices: 1 }),
      retired: counts(),
      unchanged: counts({ sites: 1 }),
    });
  });

  it('removes nothing that is absent', () =>
    given(...harbour)
      .when({})
      .thenNothing());

  it('tells what was before', () => {
    const { changes } = given(...harbour)
      .when(devices({ ...device, name: 'New' }))
      .plan();
    expect(changes).to.deep.equal([
      { kind: 'devices', key: '4', type: 'DeviceChanged', data: { ...device, name: 'New' }, before: device },
    ]);
  });

  it('drops what the file no longer says of an entity', () => {
    const without = { id: 2, name: 'Quayside', network: 1, timezone: 'Europe/Lisbon' };
    given(...harbour)
      .when({ sites: [without] })
      .then(['SiteChanged', '2', without]);
  });

  it('does not care in which order a schedule names its days', () =>
    given(registered('networks', network), registered('sites', { ...site, business_hours: { mon: [], tue: [] } }))
      .when({ sites: [{ ...site, business_hours: { tue: [], mon: [] } }] })
      .thenNothing());
});

describe('effective_from in a registry file', () => {
  const dated = { ...device, effective_from: march };

  it('missing says nothing', () =>
    given(...harbour, changed('devices', dated))
      .when(devices(device))
      .thenNothing());
  it('equal to the stored one is no change, however it is written', () =>
    given(...harbour, changed('devices', dated))
      .when(devices({ ...device, effective_from: '2026-03-01T01:00:00+01:00' }))
      .thenNothing());
  it('other than the stored one is a change, told in the one form', () =>
    given(...harbour)
      .when(devices({ ...device, effective_from: '2026-03-01T01:00:00+01:00' }))
      .then(['DeviceChanged', '4', dated]));
  it('may lie in the past and in the future', () => {
    given(...harbour)
      .when(devices({ ...dated, name: 'A' }))
      .then(['DeviceChanged', '4', { ...dated, name: 'A' }]);
    const later = { ...device, name: 'B', effective_from: '2030-01-01T00:00:00.000Z' };
    given(...harbour)
      .when(devices(later))
      .then(['DeviceChanged', '4', later]);
  });
});

describe('retiring by a registry file', () => {
  const gone = { ...device, retired: true };

  it('is an event of its own', () =>
    given(...harbour)
      .when(devices(gone))
      .then(['DeviceRetired', '4', gone]));
  it('is not told twice', () =>
    given(...harbour, retired('devices', gone))
      .when(devices(gone))
      .thenNothing());
  it('is counted', () =>
    expect(
      given(...harbour)
        .when(devices(gone))
        .plan().counts.retired,
    ).to.deep.equal(counts({ devices: 1 })));
  it('is taken back by an entity that is not retired', () =>
    given(...harbour, retired('devices', gone))
      .when(devices(device))
      .then(['DeviceRegistered', '4', device]));
  it('false is the same as not said', () =>
    given(...harbour)
      .when(devices({ ...device, retired: false }))
      .thenNothing());
  it('lets what is retired be renamed', () =>
    given(...harbour, retired('devices', gone))
      .when(devices({ ...gone, name: 'Old' }))
      .then(['DeviceChanged', '4', { ...gone, name: 'Old' }]));
  it('first registers what was never known, so that it has a history', () => {
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
  it('leaves what refers to it as it is, in the same file too', () =>
    given(...harbour)
      .when({ ...harbourFile, devices: [gone] })
      .then(['DeviceRetired', '4', gone]));
});

describe('screens that move', () => {
  const second = { id: 24, name: 'Second', location: 3, screen_ids: ['screen-9'] };
  const both = [...harbour, registered('devices', second)];

  it('are taken before they are given up, so that they are never without a device', () => {
    const { changes } = given(...both)
      .when(devices({ ...device, screen_ids: ['screen-2'] }, { ...second, screen_ids: ['screen-9', 'screen-1'] }))
      .plan();
    expect(changes.map(({ key }) => key)).to.deep.equal(['24', '4']);
  });
  it('may be exchanged', () =>
    expect(
      given(...both)
        .when(devices({ ...device, screen_ids: ['screen-9'] }, { ...second, screen_ids: ['screen-1'] }))
        .plan().changes,
    ).to.have.length(2));
  it('may go to a replacement when their device is retired', () =>
    given(...harbour)
      .when(devices({ ...device, retired: true }, { ...second, screen_ids: ['screen-1'] }))
      .then(
        ['DeviceRegistered', '24', { ...second, screen_ids: ['screen-1'] }],
        ['DeviceRetired', '4', { ...device, retired: true }],
      ));
});

describe('thresholds in a registry file', () => {
  const past = { ...definition, version: 2, effective_from: march };
  it('may take effect now', () =>
    expect(
      given(...harbour)
        .when({ metric_definitions: [{ ...past, effective_from: '2026-06-01T00:00:00.000Z' }] })
        .plan().changes,
    ).to.have.length(1));
  it('may take effect before now when restating is asked for', () =>
    expect(
      given(...harbour)
        .when({ metric_definitions: [past] }, { restate: true })
        .plan().counts.created,
    ).to.deep.equal(counts({ metric_definitions: 1 })));
  it('once published stay as they are, also when their time has come', () =>
    given(...harbour)
      .when({ metric_definitions: [definition] }, { nowMs: Date.UTC(2030, 0, 1) })
      .thenNothing());
});

describe('what belongs together in a registry file', () => {
  it('may all be new at once, moved together, or swapped', () => {
    const other = { ...campaign, id: 70, external_id: 'C-200' };
    given(...harbour, registered('campaigns', other))
      .when({
        campaigns: [
          { ...campaign, external_id: 'C-200' },
          { ...other, external_id: 'C-100' },
        ],
      })
      .then(
        ['CampaignChanged', '7', { ...campaign, external_id: 'C-200' }],
        ['CampaignChanged', '70', { ...other, external_id: 'C-100' }],
      );
    given(...harbour)
      .when({ locations: [{ ...location, site: 32 }], sites: [{ ...site, id: 32 }] })
      .then(['SiteRegistered', '32', { ...site, id: 32 }], ['LocationChanged', '3', { ...location, site: 32 }]);
  });
});
