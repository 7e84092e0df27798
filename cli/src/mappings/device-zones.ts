import type { RegistryFile } from '@popsvc/contracts/registry';
import type { Connect } from '../program/connect.ts';

/** Zone of the device of a screen; undefined where it is not known. */
export type ZoneOf = (screenId: string) => string | undefined;

const zonesOf = ({ devices, locations, sites, vendors }: RegistryFile, vendorCode: string): ZoneOf => {
  const network = vendors.find(({ code }) => code === vendorCode)?.network;
  const siteOf = new Map(sites.map((site) => [site.id, site]));
  const siteAt = new Map(locations.map(({ id, site }) => [id, siteOf.get(site)]));
  const zones = new Map<string, string>();
  for (const { location, timezone, screen_ids: screens } of devices) {
    const site = siteAt.get(location);
    // A vendor that is not registered yet may be of any network.
    if (!site || (network !== undefined && site.network !== network)) continue;
    for (const screen of screens) zones.set(screen, timezone ?? site.timezone);
  }
  return (screenId) => zones.get(screenId);
};

/** Zones as the registry has them now. Without a service that answers, none, and why. */
export const registeredZones = async (
  connect: Connect,
  vendor: string,
): Promise<{ readonly zoneOf: ZoneOf; readonly trouble?: string }> => {
  try {
    const { ops } = await connect();
    return { zoneOf: zonesOf(await ops<RegistryFile>('/registry'), vendor) };
  } catch (error) {
    return { zoneOf: () => undefined, trouble: error instanceof Error ? error.message : String(error) };
  }
};
