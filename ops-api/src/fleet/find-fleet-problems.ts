import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import type { Registry } from '@popsvc/domain/registry';
import type { SeenDevice, VendorActivity } from './fleet-queries.ts';
import { createOpeningHours, type OpeningHours } from './opening-hours.ts';

export interface FleetThresholds {
  /** Minimum share of offline devices of a network or site that is a problem. */
  readonly darkDevicesPercent: number;
  /** Minutes of opening hours after which a vendor without plays, or a network that sends nothing, counts as silent. */
  readonly vendorSilentMinutes: number;
}

/** Counts only devices that have sent heartbeats, and whose site is open now and was open `startUpMs` ago. */
export interface DarkDevices {
  readonly network: number;
  /** Undefined: the whole network. */
  readonly site?: number;
  readonly offline: number;
  readonly devices: number;
}

export interface Silence {
  readonly network: number;
  /** Undefined: neither plays nor heartbeats of the network were received. */
  readonly vendor?: string;
  /** Plays count as received at the end of their hour. */
  readonly sinceMs: number;
}

export interface FleetProblems {
  readonly dark: readonly DarkDevices[];
  readonly silent: readonly Silence[];
}

export interface FleetState {
  readonly registry: Registry;
  /** False for the networks of shards that could not be read. */
  readonly isRead: (network: number) => boolean;
  /** The read models have all events up to this time. They may lack later events. */
  readonly asOfMs: number;
  readonly devices: readonly SeenDevice[];
  readonly vendors: readonly VendorActivity[];
}

const minOffline = 2;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Time that devices have to start after their site opens. */
const startUpMs = 30 * minuteMs;
const maxDelayMs = 60_000;
/** Opening hours longer ago than this do not count as silence. */
export const followedMs = 8 * 24 * hourMs;

const countBy = <Key>(
  seen: readonly (readonly [Key, SeenDevice])[],
): Map<Key, { offline: number; devices: number }> => {
  const counts = new Map<Key, { offline: number; devices: number }>();
  for (const [key, { online }] of seen) {
    const count = counts.get(key) ?? { offline: 0, devices: 0 };
    counts.set(key, { offline: count.offline + (online ? 0 : 1), devices: count.devices + 1 });
  }
  return counts;
};

const findUsed = <Kind extends RegistryKind>(registry: Registry, kind: Kind, key: number) => {
  const latest = registry.entries[kind].get(String(key))?.latest;
  return latest?.retired === false ? latest.entity : undefined;
};

const siteOf = (registry: Registry, device: number): EntityOf<'sites'> | undefined => {
  const used = findUsed(registry, 'devices', device);
  const location = used && findUsed(registry, 'locations', used.location);
  const site = location && findUsed(registry, 'sites', location.site);
  return site && findUsed(registry, 'networks', site.network) && site;
};

const findDark = (
  { registry, asOfMs, devices }: FleetState,
  { darkDevicesPercent }: FleetThresholds,
  hours: OpeningHours,
  nowMs: number,
): readonly DarkDevices[] => {
  // If the read models are behind, the last heartbeats of all devices seem old.
  if (nowMs - asOfMs > maxDelayMs) return [];
  const expected = devices.flatMap((device) => {
    const site = siteOf(registry, device.id);
    const isExpected = site && hours.isOpenAt(site, nowMs) && hours.isOpenAt(site, nowMs - startUpMs);
    return isExpected ? [{ device, site }] : [];
  });
  const isDark = ({ offline, devices: all }: { offline: number; devices: number }) =>
    offline >= minOffline && offline * 100 >= darkDevicesPercent * all;
  const networks = [...countBy(expected.map(({ device }) => [device.network_id, device]))].flatMap(
    ([network, count]) => (isDark(count) ? [{ network, ...count }] : []),
  );
  const darkNetworks = new Set(networks.map(({ network }) => network));
  const sites = [...countBy(expected.map(({ device, site }) => [site, device]))].flatMap(([{ id, network }, count]) =>
    isDark(count) && !darkNetworks.has(network) ? [{ network, site: id, ...count }] : [],
  );
  return [...networks, ...sites].sort((one, other) => other.offline - one.offline);
};

const sitesByNetwork = (registry: Registry): Map<number, EntityOf<'sites'>[]> => {
  const sites = new Map<number, EntityOf<'sites'>[]>();
  for (const { latest } of registry.entries.sites.values()) {
    if (latest.retired) continue;
    const own = sites.get(latest.entity.network);
    if (own) own.push(latest.entity);
    else sites.set(latest.entity.network, [latest.entity]);
  }
  return sites;
};

const createSilenceRule = (
  { registry, asOfMs }: Pick<FleetState, 'registry' | 'asOfMs'>,
  { vendorSilentMinutes }: Pick<FleetThresholds, 'vendorSilentMinutes'>,
  hours: OpeningHours,
  nowMs: number,
) => {
  const sites = sitesByNetwork(registry);
  return (network: number, sinceMs: number) =>
    hours.wereOpenFor(sites.get(network) ?? [], vendorSilentMinutes, {
      fromMs: Math.max(sinceMs, nowMs - followedMs),
      toMs: Math.min(asOfMs, nowMs),
    });
};

export interface SilentVendor extends Silence {
  readonly vendor: string;
}

const selectSilentVendors = (
  { registry, vendors }: Pick<FleetState, 'registry' | 'vendors'>,
  isSilent: (network: number, sinceMs: number) => boolean,
): readonly SilentVendor[] =>
  vendors.flatMap(({ network_id: network, vendor, hour_ms }) => {
    const isUsed = registry.entries.vendors.get(vendor)?.latest.retired === false;
    const sinceMs = hour_ms + hourMs;
    return isUsed && isSilent(network, sinceMs) ? [{ network, vendor, sinceMs }] : [];
  });

/** Includes vendors of networks from which nothing was received. */
export const findSilentVendors = (
  state: Pick<FleetState, 'registry' | 'asOfMs' | 'vendors'>,
  thresholds: Pick<FleetThresholds, 'vendorSilentMinutes'>,
  nowMs: number,
): readonly SilentVendor[] =>
  selectSilentVendors(state, createSilenceRule(state, thresholds, createOpeningHours(), nowMs));

const findSilent = (
  state: FleetState,
  thresholds: FleetThresholds,
  hours: OpeningHours,
  nowMs: number,
): readonly Silence[] => {
  const { registry, isRead, devices, vendors } = state;
  const isSilent = createSilenceRule(state, thresholds, hours, nowMs);
  const lastMs = new Map<number, number>();
  const receive = (network: number, ms: number) => lastMs.set(network, Math.max(lastMs.get(network) ?? 0, ms));
  for (const { network_id: network, received_ms: ms } of devices) receive(network, ms);
  for (const { network_id: network, hour_ms: ms } of vendors) receive(network, ms + hourMs);
  const networks = [...registry.devicesOfNetwork].flatMap(([network, own]) => {
    const used = own.filter(({ latest }) => !latest.retired);
    if (used.length === 0 || !isRead(network) || !findUsed(registry, 'networks', network)) return [];
    const registeredMs = used.reduce((least, { first }) => Math.min(least, first.recordedMs), Infinity);
    const sinceMs = Math.max(registeredMs, lastMs.get(network) ?? 0);
    return isSilent(network, sinceMs) ? [{ network, sinceMs }] : [];
  });
  const silentNetworks = new Set(networks.map(({ network }) => network));
  const silentVendors = selectSilentVendors(
    { registry, vendors: vendors.filter(({ network_id }) => !silentNetworks.has(network_id)) },
    isSilent,
  );
  return [...networks, ...silentVendors].sort((one, other) => one.sinceMs - other.sinceMs);
};

/** If a network is reported, its sites or vendors are not reported for the same reason. */
export const findFleetProblems = (state: FleetState, thresholds: FleetThresholds, nowMs: number): FleetProblems => {
  const hours = createOpeningHours();
  return { dark: findDark(state, thresholds, hours, nowMs), silent: findSilent(state, thresholds, hours, nowMs) };
};
