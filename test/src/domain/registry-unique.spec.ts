import { expect } from 'chai';
import { given, retired, registered } from './given-registry.ts';
import { campaign, creative, definition, device, harbour, network, otherLocation, vendor } from './registry-harbour.ts';

const now = () => given(...harbour);

describe('a registry file with duplicates is refused', () => {
  it('if it has an entity twice', () =>
    now()
      .when({
        networks: [network, network],
        vendors: [vendor, vendor],
        creatives: [creative, { ...creative, title: 'x' }],
        apps: [
          { code: 'a', name: 'A' },
          { code: 'a', name: 'B' },
        ],
        metric_definitions: [definition, definition],
      })
      .thenRefused(
        ['networks[1].id', 'is also that of networks[0]'],
        ['vendors[1].code', 'is also that of vendors[0]'],
        ['apps[1].code', 'is also that of apps[0]'],
        ['creatives[1].external_id', 'is also that of creatives[0]'],
        ['metric_definitions[1].version', 'is also that of metric_definitions[0]'],
      ));

  it('if two networks have names that differ only in case and space', () => {
    now()
      .when({ networks: [{ ...network, id: 40, name: ' HARBOUR media ' }] })
      .thenRefused(['networks[0].name', 'is also that of network 1']);
    given()
      .when({
        networks: [
          { ...network, name: 'Straße' },
          { ...network, id: 41, name: 'STRASSE' },
          { ...network, id: 42, name: 'straße' },
        ],
      })
      .thenRefused(['networks[2].name', 'is also that of network 1']);
  });

  it('if two vendors of a network have the same name, but not of different networks', () => {
    now()
      .when({ vendors: [{ ...vendor, code: 'second' }] })
      .thenRefused(['vendors[0].name', 'is also that of vendor acme']);
    expect(
      now()
        .when({ vendors: [{ ...vendor, code: 'second', network: 10 }] })
        .plan().changes,
    ).to.have.length(1);
  });

  it('if two campaigns of a network have the same external id, but not of different networks', () => {
    now()
      .when({ campaigns: [{ ...campaign, id: 71 }] })
      .thenRefused(['campaigns[0].external_id', 'is also that of campaign 7']);
    expect(
      now()
        .when({ campaigns: [{ ...campaign, id: 71, network: 10 }] })
        .plan().changes,
    ).to.have.length(1);
  });

  it('if a name or an external id belongs to a retired entity', () => {
    given(...harbour, retired('vendors', vendor), retired('campaigns', campaign))
      .when({ vendors: [{ ...vendor, code: 'second' }], campaigns: [{ ...campaign, id: 71 }] })
      .thenRefused(
        ['vendors[0].name', 'is also that of vendor acme'],
        ['campaigns[0].external_id', 'is also that of campaign 7'],
      );
  });

  it('if a screen is on two devices of a network, but not of different networks', () => {
    now()
      .when({ devices: [{ ...device, id: 44, screen_ids: ['x', 'screen-2'] }] })
      .thenRefused(['devices[0].screen_ids[1]', 'is also that of device 4']);
    now()
      .when({ devices: [{ ...device, screen_ids: ['a', 'b', 'a'] }] })
      .thenRefused(['devices[0].screen_ids[2]', 'is given twice']);
    const elsewhere = { ...device, id: 44, location: otherLocation.id };
    expect(
      now()
        .when({ devices: [elsewhere] })
        .plan().changes,
    ).to.have.length(1);
  });

  it('if a device registered again lists screens of another device', () =>
    given(...harbour, retired('devices', device), registered('devices', { ...device, id: 44 }))
      .when({ devices: [device] })
      .thenRefused(
        ['devices[0].screen_ids[0]', 'is also that of device 44'],
        ['devices[0].screen_ids[1]', 'is also that of device 44'],
      ));

  it('if a campaign has two strategies with the same id', () => {
    const strategies = [8, 9, 8].map((id) => ({ id, name: 'Default' }));
    now()
      .when({ campaigns: [{ ...campaign, strategies }] })
      .thenRefused(['campaigns[0].strategies[2].id', 'is given twice']);
  });
});
