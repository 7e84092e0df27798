export const network = 1;
/** Id of a second registered network, which has no devices. */
export const otherNetwork = 2;
export const vendor = 'bench';
export const screens = 50;
export const campaigns = 10;
export const creatives = 20;

const numbered = <Entity>(count: number, entity: (index: number) => Entity): readonly Entity[] =>
  Array.from({ length: count }, (_, index) => entity(index));

const timezone = 'Europe/Berlin';
const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

export const devices = numbered(screens, (index) => ({
  id: 3_000 + index,
  name: `Screen ${index}`,
  location: 2_000 + (index % 10),
  screen_ids: [`screen-${index}`],
}));

/** A network of fifty screens at five sites, with campaigns and creatives. */
export const registry = {
  networks: [
    { id: network, name: 'Benchmark network', timezone },
    { id: otherNetwork, name: 'Another network', timezone },
  ],
  vendors: [{ code: vendor, name: 'Benchmark player', network }],
  sites: numbered(5, (index) => ({
    id: 1_000 + index,
    name: `Site ${index}`,
    network,
    timezone,
    business_hours: Object.fromEntries(days.map((day) => [day, ['07:00-22:00']])),
  })),
  locations: numbered(10, (index) => ({ id: 2_000 + index, name: `Location ${index}`, site: 1_000 + (index % 5) })),
  devices,
  campaigns: numbered(campaigns, (index) => ({
    id: 4_000 + index,
    network,
    external_id: `C-${index}`,
    name: `Campaign ${index}`,
    subscription_name: 'Standard',
    strategies: [{ id: 5_000 + index, name: 'Commuters' }],
  })),
  creatives: numbered(creatives, (index) => ({
    external_id: `CR-${index}`,
    title: `spot_${index}_10s.mp4`,
    display_title: `Spot ${index}`,
    campaign: 4_000 + (index % campaigns),
    duration_ms: 10_000,
  })),
};

/** Rate limits above the load of every benchmark. */
export const unlimitedRates = { requestsPerSecond: 1_000_000, eventsPerSecond: 100_000_000 };

const smallTenant = (id: number, code: string) => ({
  network: id,
  vendor: code,
  screen: `${code}-1`,
  device: 6_000 + id,
});

/** A tenant whose plays and detections are all of one screen and minute. */
export const denseTenant = smallTenant(3, 'dense');
/** A tenant that must not wait for the others. */
export const quietTenant = smallTenant(4, 'quiet');

const smallTenants = [denseTenant, quietTenant];

/** The registry with two more tenants, of one screen each. */
export const registryOfTenants = {
  ...registry,
  networks: [
    ...registry.networks,
    ...smallTenants.map((tenant) => ({ id: tenant.network, name: tenant.vendor, timezone })),
  ],
  vendors: [
    ...registry.vendors,
    ...smallTenants.map((tenant) => ({ code: tenant.vendor, name: tenant.vendor, network: tenant.network })),
  ],
  sites: [
    ...registry.sites,
    ...smallTenants.map((tenant) => ({ id: 1_900 + tenant.network, name: 'Site', network: tenant.network, timezone })),
  ],
  locations: [
    ...registry.locations,
    ...smallTenants.map((tenant) => ({ id: 2_900 + tenant.network, name: 'Floor', site: 1_900 + tenant.network })),
  ],
  devices: [
    ...registry.devices,
    ...smallTenants.map((tenant) => ({
      id: tenant.device,
      name: 'Screen',
      location: 2_900 + tenant.network,
      screen_ids: [tenant.screen],
    })),
  ],
};
