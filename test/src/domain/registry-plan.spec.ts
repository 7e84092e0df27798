import { expect } from 'chai';
import { counts } from './counts-by-kind.ts';
import { changed, given, registered, type WrittenFile } from './given-registry.ts';
import { campaign, device, harbour, harbourFile, location, network, site } from './registry-harbour.ts';

const devices = (...written: object[]): WrittenFile => ({ devices: written });

describe('applying a registry file', () => {
  it('registers everything in the order of references', () => {
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

  it('removes no absent entity', () =>
    given(...harbour)
      .when({})
      .thenNothing());

  it('includes the previous values', () => {
    const { changes } = given(...harbour)
      .when(devices({ ...device, name: 'New' }))
      .plan();
    expect(changes).to.deep.equal([
      { kind: 'devices', key: '4', type: 'DeviceChanged', data: { ...device, name: 'New' }, before: device },
    ]);
  });

  it('removes fields that the file no longer has', () => {
    const without = { id: 2, name: 'Quayside', network: 1, timezone: 'Europe/Lisbon' };
    given(...harbour)
      .when({ sites: [without] })
      .then(['SiteChanged', '2', without]);
  });

  it('does not depend on the order of days in a schedule', () =>
    given(registered('networks', network), registered('sites', { ...site, business_hours: { mon: [], tue: [] } }))
      .when({ sites: [{ ...site, business_hours: { tue: [], mon: [] } }] })
      .thenNothing());
});

describe('effective_from in a registry file', () => {
  const dated = { ...device, effective_from: '2026-03-01T00:00:00.000Z' };

  it('is no change if missing', () =>
    given(...harbour, changed('devices', dated))
      .when(devices(device))
      .thenNothing());
  it('is no change if it equals the stored instant, in any notation', () =>
    given(...harbour, changed('devices', dated))
      .when(devices({ ...device, effective_from: '2026-03-01T01:00:00+01:00' }))
      .thenNothing());
  it('is a change if it differs, in canonical notation', () =>
    given(...harbour)
      .when(devices({ ...device, effective_from: '2026-03-01T01:00:00+01:00' }))
      .then(['DeviceChanged', '4', dated]));
  it('can be in the past and in the future', () => {
    given(...harbour)
      .when(devices({ ...dated, name: 'A' }))
      .then(['DeviceChanged', '4', { ...dated, name: 'A' }]);
    const later = { ...device, name: 'B', effective_from: '2030-01-01T00:00:00.000Z' };
    given(...harbour)
      .when(devices(later))
      .then(['DeviceChanged', '4', later]);
  });
});

describe('related entities in a registry file', () => {
  it('can be new at once, moved together, or swapped', () => {
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
