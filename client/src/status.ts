import { type Api, dataOf, omitUndefined, checkOptions } from './http/api.ts';
import { formatInstant, type Instant, type ScopeOptions, scopeFields, scopeInit } from './reports/options.ts';
import type { paths as QueryPaths } from './generated/query-api.ts';
import type { AppUptime, DeviceStatus, FeederStatus, MetricDefinition } from './types.ts';

export interface StatusOptions extends ScopeOptions {
  readonly siteId?: number | readonly number[] | undefined;
  readonly locationId?: number | readonly number[] | undefined;
}

export interface UptimeOptions extends ScopeOptions {
  readonly deviceId: number;
  readonly appCode: string;
  /** Defaults to the start of the current day in the service's time zone. */
  readonly from?: Instant | undefined;
  /** Defaults to now. */
  readonly to?: Instant | undefined;
}

const listed = (ids: number | readonly number[] | undefined) => (ids === undefined ? undefined : [ids].flat());

const statusFields = { ...scopeFields, siteId: true, locationId: true } as const;
const uptimeFields = { ...scopeFields, deviceId: true, appCode: true, from: true, to: true } as const;

const statusInit = (options: StatusOptions) => {
  checkOptions(options, statusFields);
  const query = omitUndefined({ site_id: listed(options.siteId), location_id: listed(options.locationId) });
  return { params: { query }, ...scopeInit(options) };
};

const scopedInit = (scoped: ScopeOptions) => {
  checkOptions(scoped, scopeFields);
  return scopeInit(scoped);
};

const oneInit = (id: number, scoped: ScopeOptions) => ({ params: { path: { id } }, ...scopedInit(scoped) });

export const createStatuses = (api: () => Api<QueryPaths>) => ({
  deviceStatuses: async (options: StatusOptions = {}): Promise<readonly DeviceStatus[]> =>
    dataOf(await api().GET('/api/v1/devices/status', statusInit(options))).data.rows,
  deviceStatus: async (id: number, scoped: ScopeOptions = {}): Promise<DeviceStatus> =>
    dataOf(await api().GET('/api/v1/devices/status/{id}', oneInit(id, scoped))).data,
  feederStatuses: async (options: StatusOptions = {}): Promise<readonly FeederStatus[]> =>
    dataOf(await api().GET('/api/v1/feeders/status', statusInit(options))).data.rows,
  feederStatus: async (id: number, scoped: ScopeOptions = {}): Promise<FeederStatus> =>
    dataOf(await api().GET('/api/v1/feeders/status/{id}', oneInit(id, scoped))).data,
  async uptime(options: UptimeOptions): Promise<AppUptime> {
    checkOptions(options, uptimeFields);
    const { deviceId, appCode, from, to } = options;
    const query = omitUndefined({ from: from && formatInstant(from), to: to && formatInstant(to) });
    const init = { params: { path: { deviceId, appCode }, query }, ...scopeInit(options) };
    return dataOf(await api().GET('/api/v1/device-apps/{deviceId}/{appCode}/uptime', init)).data;
  },
  metricDefinitions: async (scoped: ScopeOptions = {}): Promise<readonly MetricDefinition[]> =>
    dataOf(await api().GET('/api/v1/metric-definitions', scopedInit(scoped))).data.rows,
});
