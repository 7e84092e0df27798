import { type Api, dataOf, present, refuseOthers } from './http/api.ts';
import { instantText, type Instant, type Scoped, scopeFields, scopeInit } from './reports/options.ts';
import type { AppUptime, DeviceStatus, FeederStatus, MetricDefinition, QueryPaths } from './types.ts';

export interface PlacesWish extends Scoped {
  readonly siteId?: number | readonly number[] | undefined;
  readonly locationId?: number | readonly number[] | undefined;
}

export interface UptimeWish extends Scoped {
  readonly deviceId: number;
  readonly appCode: string;
  /** Default: the beginning of today, where the service stands. */
  readonly from?: Instant | undefined;
  /** Default: now. */
  readonly to?: Instant | undefined;
}

const listed = (ids: number | readonly number[] | undefined) => (ids === undefined ? undefined : [ids].flat());

const placesFields = { ...scopeFields, siteId: true, locationId: true } as const;
const uptimeFields = { ...scopeFields, deviceId: true, appCode: true, from: true, to: true } as const;

const placesInit = (wish: PlacesWish) => {
  refuseOthers(wish, placesFields);
  const query = present({ site_id: listed(wish.siteId), location_id: listed(wish.locationId) });
  return { params: { query }, ...scopeInit(wish) };
};

const scopedInit = (scoped: Scoped) => {
  refuseOthers(scoped, scopeFields);
  return scopeInit(scoped);
};

const oneInit = (id: number, scoped: Scoped) => ({ params: { path: { id } }, ...scopedInit(scoped) });

/** How things are and were: devices, feeders, apps; and what the numbers of reports mean. */
export const statuses = (api: () => Api<QueryPaths>) => ({
  deviceStatuses: async (wish: PlacesWish = {}): Promise<readonly DeviceStatus[]> =>
    dataOf(await api().GET('/api/v1/devices/status', placesInit(wish))).data.rows,
  deviceStatus: async (id: number, scoped: Scoped = {}): Promise<DeviceStatus> =>
    dataOf(await api().GET('/api/v1/devices/status/{id}', oneInit(id, scoped))).data,
  feederStatuses: async (wish: PlacesWish = {}): Promise<readonly FeederStatus[]> =>
    dataOf(await api().GET('/api/v1/feeders/status', placesInit(wish))).data.rows,
  feederStatus: async (id: number, scoped: Scoped = {}): Promise<FeederStatus> =>
    dataOf(await api().GET('/api/v1/feeders/status/{id}', oneInit(id, scoped))).data,
  async uptime(wish: UptimeWish): Promise<AppUptime> {
    refuseOthers(wish, uptimeFields);
    const { deviceId, appCode, from, to } = wish;
    const query = present({ from: from && instantText(from), to: to && instantText(to) });
    const init = { params: { path: { deviceId, appCode }, query }, ...scopeInit(wish) };
    return dataOf(await api().GET('/api/v1/device-apps/{deviceId}/{appCode}/uptime', init)).data;
  },
  metricDefinitions: async (scoped: Scoped = {}): Promise<readonly MetricDefinition[]> =>
    dataOf(await api().GET('/api/v1/metric-definitions', scopedInit(scoped))).data.rows,
});
