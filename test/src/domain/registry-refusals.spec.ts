import { expect } from 'chai';
import { changed, given, registered, retired } from './given-registry.ts';
import {
  camera,
  campaign,
  creative,
  definition,
  device,
  feeder,
  harbour,
  location,
  network,
  otherLocation,
  otherSite,
  site,
  vendor,
} from './registry-harbour.ts';

const now = () => given(...harbour);

describe('a registry file is refused', () => {
  it('when it refers to what nobody knows, everywhere it does so', () =>
    now()
      .when({
        vendors: [{ ...vendor, code: 'x1', name: 'X', network: 99 }],
        sites: [{ ...site, id: 30, network: 99 }],
        locations: [{ ...location, id: 31, site: 99 }],
        devices: [device, { id: 34, name: 'D', location: 99 }],
        feeders: [{ ...feeder, id: 35, device: 99 }],
        cameras: [{ ...camera, id: 36, device: 99, feeder: 98 }],
        campaigns: [{ ...campaign, id: 37, network: 99 }],
        creatives: [{ ...creative, campaign: 99 }],
        metric_definitions: [{ ...definition, network: 99 }],
      })
      .thenRefused(
        ['vendors[0].network', 'there is no network 99'],
        ['sites[0].network', 'there is no network 99'],
        ['locations[0].site', 'there is no site 99'],
        ['devices[1].location', 'there is no location 99'],
        ['feeders[0].device', 'there is no device 99'],
        ['cameras[0].device', 'there is no device 99'],
        ['cameras[0].feeder', 'there is no feeder 98'],
        ['campaigns[0].network', 'there is no network 99'],
        ['creatives[0].campaign', 'there is no campaign 99'],
        ['metric_definitions[0].network', 'there is no network 99'],
      ));

  it('when it tells an entity twice', () =>
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

  it('when two networks have names that differ only in case and space', () => {
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

  it('when two vendors of a network have one name, of different networks they may', () => {
    now()
      .when({ vendors: [{ ...vendor, code: 'second' }] })
      .thenRefused(['vendors[0].name', 'is also that of vendor acme']);
    expect(
      now()
        .when({ vendors: [{ ...vendor, code: 'second', network: 10 }] })
        .plan().changes,
    ).to.have.length(1);
  });

  it('when two campaigns of a network have one external id, of different networks they may', () => {
    now()
      .when({ campaigns: [{ ...campaign, id: 71 }] })
      .thenRefused(['campaigns[0].external_id', 'is also that of campaign 7']);
    expect(
      now()
        .when({ campaigns: [{ ...campaign, id: 71, network: 10 }] })
        .plan().changes,
    ).to.have.length(1);
  });

  it('when a name or an external id is still shown by something retired', () => {
    given(...harbour, retired('vendors', vendor), retired('campaigns', campaign))
      .when({ vendors: [{ ...vendor, code: 'second' }], campaigns: [{ ...campaign, id: 71 }] })
      .thenRefused(
        ['vendors[0].name', 'is also that of vendor acme'],
        ['campaigns[0].external_id', 'is also that of campaign 7'],
      );
  });

  it('when a screen is on two devices of a network, of different networks it may', () => {
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

  it('when a device registered again takes its screens back from another', () =>
    given(...harbour, retired('devices', device), registered('devices', { ...device, id: 44 }))
      .when({ devices: [device] })
      .thenRefused(
        ['devices[0].screen_ids[0]', 'is also that of device 44'],
        ['devices[0].screen_ids[1]', 'is also that of device 44'],
      ));

  it('when anything moves to another network', () =>
    given(...harbour, registered('devices', { id: 14, name: 'Far', location: 13, screen_ids: [] }))
      .when({
        vendors: [{ ...vendor, network: 10 }],
        sites: [{ ...site, network: 10 }],
        locations: [{ ...location, site: otherSite.id }],
        devices: [{ ...device, location: otherLocation.id }],
        feeders: [{ ...feeder, device: 14 }],
        cameras: [{ ...camera, device: 14, feeder: undefined }],
        campaigns: [{ ...campaign, network: 10 }],
      })
      .thenRefused(
        ['vendors[0].network', 'must stay in network 1'],
        ['sites[0].network', 'must stay in network 1'],
        ['locations[0].site', 'must stay in network 1'],
        ['devices[0].location', 'must stay in network 1'],
        ['feeders[0].device', 'must stay in network 1'],
        ['cameras[0].device', 'must stay in network 1'],
        ['campaigns[0].network', 'must stay in network 1'],
      ));

  it('once for a site that moves, not for all that stands there', () =>
    now()
      .when({ sites: [{ ...site, network: 10 }], locations: [location], devices: [device], feeders: [feeder] })
      .thenRefused(['sites[0].network', 'must stay in network 1']));

  it('when the feeder of a camera is of another device, whichever of them the file changes', () => {
    const second = registered('devices', { id: 24, name: 'Second', location: 3, screen_ids: [] });
    given(...harbour, second)
      .when({ cameras: [{ ...camera, device: 24 }] })
      .thenRefused(['cameras[0].feeder', 'is of another device, 4']);
    given(...harbour, second)
      .when({ feeders: [{ ...feeder, device: 24 }] })
      .thenRefused(['feeders[0].device', 'camera 6 of device 4 uses this feeder']);
    const together = { feeders: [{ ...feeder, device: 24 }], cameras: [{ ...camera, device: 24 }] };
    expect(
      given(...harbour, second)
        .when(together)
        .plan().changes,
    ).to.have.length(2);
  });

  it('when the strategy of a creative is not of its campaign, whichever of them the file changes', () => {
    now()
      .when({ creatives: [{ ...creative, external_id: 'CR-2', strategy: 9 }] })
      .thenRefused(['creatives[0].strategy', 'is not a strategy of campaign 7']);
    now()
      .when({ campaigns: [{ ...campaign, strategies: [] }] })
      .thenRefused(['campaigns[0].strategies', 'creative CR-1 uses strategy 8']);
  });

  it('when a campaign has two strategies of one id', () => {
    const strategies = [8, 9, 8].map((id) => ({ id, name: 'Default' }));
    now()
      .when({ campaigns: [{ ...campaign, strategies }] })
      .thenRefused(['campaigns[0].strategies[2].id', 'is given twice']);
  });

  it('when it newly refers to something retired', () => {
    given(...harbour, retired('sites', site))
      .when({ locations: [location, { ...location, id: 33 }] })
      .thenRefused(['locations[1].site', 'site 2 is retired']);
    now()
      .when({ sites: [{ ...site, retired: true }], locations: [{ ...location, id: 33 }] })
      .thenRefused(['locations[0].site', 'site 2 is retired']);
    given(...harbour, retired('devices', device), retired('feeders', feeder))
      .when({ feeders: [feeder] })
      .thenRefused(['feeders[0].device', 'device 4 is retired']);
  });

  it('when published thresholds change', () => {
    const problem = [
      'metric_definitions[0].version',
      'is published and never changes; publish another version',
    ] as const;
    now()
      .when({ metric_definitions: [{ ...definition, thresholds: {} }] })
      .thenRefused(problem);
    now()
      .when({ metric_definitions: [{ ...definition, effective_from: '2026-07-01T00:00:00.001Z' }] }, { restate: true })
      .thenRefused(problem);
  });

  it('when thresholds take effect before now', () =>
    now()
      .when({ metric_definitions: [{ ...definition, version: 2, effective_from: '2026-05-31T23:59:59.999Z' }] })
      .thenRefused([
        'metric_definitions[0].effective_from',
        'is before now and would change past reports; needs --restate',
      ]));

  it('as a whole: what is good in it does not happen', () =>
    now()
      .when({ apps: [{ code: 'good', name: 'Good' }], sites: [{ ...site, id: 30, network: 99 }] })
      .thenRefused(['sites[0].network', 'there is no network 99']));

  it('never for what was there before and is not in the file', () =>
    expect(
      given(...harbour, changed('devices', { ...device, location: 99 }))
        .when({ apps: [{ code: 'good', name: 'Good' }] })
        .plan().changes,
    ).to.have.length(1));
});
