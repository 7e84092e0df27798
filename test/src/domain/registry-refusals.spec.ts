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
  otherLocation,
  otherSite,
  site,
  vendor,
} from './registry-harbour.ts';

const now = () => given(...harbour);

describe('a registry file is refused', () => {
  it('if it has unknown references, with all of them', () =>
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

  it('if an entity moves to another network', () =>
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

  it('once for a site that moves, not for everything in it', () =>
    now()
      .when({ sites: [{ ...site, network: 10 }], locations: [location], devices: [device], feeders: [feeder] })
      .thenRefused(['sites[0].network', 'must stay in network 1']));

  it('if it has a new reference to a retired entity', () => {
    given(...harbour, retired('sites', site))
      .when({ locations: [location, { ...location, id: 33 }] })
      .thenRefused(['locations[1].site', 'site 2 is retired']);
    now()
      .when({ sites: [{ ...site, retired: true }], locations: [{ ...location, id: 33 }] })
      .thenRefused(['locations[0].site', 'site 2 is retired']);
    given(...harbour, retired('devices', device), retired('feeders', feeder))
      .when({ feeders: [feeder] })
      .thenRefused(['feeders[0].device', 'device 4 is retired']);
    given(...harbour, retired('sites', site))
      .when({ locations: [{ ...location, id: 33, retired: true }] })
      .thenNotRefused();
  });

  it('as a whole, including its valid parts', () =>
    now()
      .when({ apps: [{ code: 'good', name: 'Good' }], sites: [{ ...site, id: 30, network: 99 }] })
      .thenRefused(['sites[0].network', 'there is no network 99']));

  it('never for stored entities that are not in the file', () =>
    expect(
      given(...harbour, changed('devices', { ...device, location: 99 }))
        .when({ apps: [{ code: 'good', name: 'Good' }] })
        .plan().changes,
    ).to.have.length(1));
});
