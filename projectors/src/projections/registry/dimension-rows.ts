import type { registryTables } from '@popsvc/read-models/tables';
import { toWeeklyHours } from '@popsvc/domain/business-hours';
import { entitiesAt, type EntityVersion, networkOf, type Registry, versionsAt } from '@popsvc/domain/registry';
import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import { instantMs } from '@popsvc/contracts/time';

type Dimension = keyof typeof registryTables;
type FieldsOf<Name extends Dimension> = Record<
  Exclude<keyof (typeof registryTables)[Name]['fields'], 'changed_at' | 'version'>,
  unknown
>;

interface EntityLookup {
  readonly strategyName: (campaignId: number, strategyId: number | undefined) => string | null;
  readonly onlyCameraOf: (feederId: number) => number;
  /** When the values of other entities in an entity's row last changed, in ms since 1970; 0 if the row shows none. */
  readonly shownChangedMs: (kind: RegistryKind, entity: EntityOf<RegistryKind>) => number;
}

type RowMakers = {
  [Kind in Dimension]: (entity: EntityOf<Kind>, lookup: EntityLookup, networkId: number) => FieldsOf<Kind>;
};

/** A version takes effect when it is registered, or at its effective time if that is later. */
const changedMs = ({ recordedMs, fromMs }: EntityVersion): number => Math.max(recordedMs, fromMs);

/** For each feeder, when it last gained or lost a camera, in ms since 1970. */
const camerasChangedMs = (registry: Registry, atMs: number): ReadonlyMap<number, number> => {
  const changed = new Map<number, number>();
  for (const { timeline } of registry.entries.cameras.values()) {
    let before: number | undefined;
    for (const version of timeline.filter(({ fromMs }) => fromMs <= atMs)) {
      const feeder = version.retired ? undefined : version.entity.feeder;
      for (const each of feeder === before ? [] : [before, feeder])
        if (each !== undefined) changed.set(each, Math.max(changed.get(each) ?? 0, changedMs(version)));
      before = feeder;
    }
  }
  return changed;
};

const createLookup = (registry: Registry, atMs: number): EntityLookup => {
  const campaignVersions = versionsAt(registry, 'campaigns', atMs);
  const campaigns = new Map(campaignVersions.map(({ entity }) => [entity.id, entity]));
  const campaignsChangedMs = new Map(campaignVersions.map((version) => [version.entity.id, changedMs(version)]));
  const ofCameras = camerasChangedMs(registry, atMs);
  const cameras = new Map<number, number[]>();
  for (const { id, feeder, retired } of entitiesAt(registry, 'cameras', atMs))
    if (feeder !== undefined && !retired) cameras.set(feeder, [...(cameras.get(feeder) ?? []), id]);
  return {
    strategyName: (campaignId, strategyId) =>
      campaigns.get(campaignId)?.strategies.find(({ id }) => id === strategyId)?.name ?? null,
    onlyCameraOf: (feederId) => {
      const ids = cameras.get(feederId) ?? [];
      return ids.length === 1 ? ids[0]! : 0;
    },
    shownChangedMs: (kind, entity) => {
      if (kind === 'creatives') return campaignsChangedMs.get((entity as EntityOf<'creatives'>).campaign) ?? 0;
      return kind === 'feeders' ? (ofCameras.get((entity as EntityOf<'feeders'>).id) ?? 0) : 0;
    },
  };
};

const rowMakers: RowMakers = {
  networks: ({ id, name, timezone, retired }) => ({ network_id: id, name, timezone, retired: retired ? 1 : 0 }),
  vendors: ({ code, name, network, retired }) => ({ code, network_id: network, name, retired: retired ? 1 : 0 }),
  sites: ({ id, name, network, timezone, business_hours }) => ({
    site_id: id,
    network_id: network,
    name,
    timezone,
    ...toWeeklyHours(business_hours),
  }),
  locations: ({ id, name, site }, _, networkId) => ({ location_id: id, network_id: networkId, site_id: site, name }),
  devices: ({ id, name, location, retired }, _, networkId) => ({
    device_id: id,
    network_id: networkId,
    location_id: location,
    name,
    retired: retired ? 1 : 0,
  }),
  feeders: ({ id, name, device, retired }, { onlyCameraOf }, networkId) => ({
    feeder_id: id,
    network_id: networkId,
    device_id: device,
    name,
    only_camera_id: onlyCameraOf(id),
    retired: retired ? 1 : 0,
  }),
  cameras: ({ id, name, device }, _, networkId) => ({ camera_id: id, network_id: networkId, device_id: device, name }),
  apps: ({ code, name }) => ({ code, name }),
  campaigns: ({ id, network, external_id, name, subscription_name, strategies }) => {
    const only = strategies.length === 1 ? strategies[0] : undefined;
    return {
      network_id: network,
      external_id,
      campaign_id: id,
      name,
      subscription_name: subscription_name ?? null,
      strategy_id: only?.id ?? null,
      strategy_name: only?.name ?? null,
    };
  },
  creatives: ({ external_id, title, display_title, campaign, strategy }, { strategyName }, networkId) => ({
    network_id: networkId,
    external_id,
    title,
    display_title: display_title ?? title,
    strategy_id: strategy ?? null,
    strategy_name: strategyName(campaign, strategy),
  }),
  metric_definitions: ({ network, version, effective_from, thresholds }) => ({
    network_id: network,
    definition: version,
    effective_from: instantMs(effective_from),
    thresholds: JSON.stringify(thresholds),
  }),
};

const shownIn: Partial<Record<RegistryKind, readonly Dimension[]>> = { campaigns: ['creatives'], cameras: ['feeders'] };

export const dimensionsShowing = (kind: RegistryKind): readonly Dimension[] => [kind, ...(shownIn[kind] ?? [])];

/** `atMs` is in ms since 1970. Omits changes that take effect later. */
export const dimensionRows = (
  registry: Registry,
  kind: Dimension,
  atMs: number,
): Readonly<Record<string, unknown>>[] => {
  const makeRow = rowMakers[kind] as (
    entity: EntityOf<RegistryKind>,
    lookup: EntityLookup,
    networkId: number,
  ) => Record<string, unknown>;
  const lookup = createLookup(registry, atMs);
  return versionsAt<RegistryKind>(registry, kind, atMs).map((version) => ({
    ...makeRow(version.entity, lookup, networkOf(registry, kind, version.entity) ?? 0),
    changed_at: Math.max(changedMs(version), lookup.shownChangedMs(kind, version.entity)),
  }));
};
