import { instantOf } from '@popsvc/contracts/time';
import { onlineWindowMs } from '@popsvc/domain/status';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import {
  allowCompression,
  idsParameter,
  jsonResponse,
  keysetPages,
  parseQuery,
  type Route,
} from '@popsvc/http-kit/server';
import { z } from 'zod';
import { networkParameter, pageParameters } from '../requests/parameters.ts';
import { rejectUnknownFilter } from '../registry/checks.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import {
  type DeviceRow,
  devicesCountQuery,
  type DeviceScreensRow,
  type DevicesFilter,
  devicesQuery,
  type FeederRow,
  feedersQuery,
  screensQuery,
} from './queries.ts';
import { DEVICE_STATUSES, DevicesResponse } from './schema.ts';

export interface DevicesDependencies {
  readonly reader: ClickHouseReader;
}

const instantOrNull = (ms: number | null) => (ms === null ? null : instantOf(ms));

const toListedFeeder = ({ id, name, status, last_ms }: FeederRow) => ({
  id,
  name,
  status,
  last_active_at: instantOrNull(last_ms),
});

const toListedDevice = (
  found: DeviceRow,
  screens: readonly string[],
  feeders: readonly FeederRow[],
): DevicesResponse['devices'][number] => ({
  id: found.id,
  name: found.name,
  network: { id: found.network_id, name: found.network_name },
  site: { id: found.site_id, name: found.site_name },
  site_timezone: found.site_timezone || null,
  location: { id: found.location_id, name: found.location_name },
  status: found.status,
  last_active_at: instantOrNull(found.last_ms),
  offline_since:
    found.status === 'offline' && found.last_ms !== null ? instantOf(found.last_ms + onlineWindowMs) : null,
  screens: [...screens],
  feeders: feeders.map(toListedFeeder),
});

const devicePages = keysetPages({ id: String.raw`\d{1,16}` });

const DevicesQuery = z.strictObject({
  network: networkParameter.optional(),
  status: z.enum(DEVICE_STATUSES).optional(),
  site_id: idsParameter.describe('Only devices currently in these sites; repeat the parameter for several.'),
  search: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Part of the name, case-insensitive; or the whole id of the device or of a screen it shows or has shown.',
    ),
  ...pageParameters(devicePages, 100),
});

export const devicesRoute = ({ reader }: DevicesDependencies, registryLog: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/devices',
  summary: 'Devices that are not retired, with their status, screens and feeders.',
  operationId: 'listDevices',
  access: 'viewer',
  examples: [{ name: 'offline', query: { status: 'offline', limit: 10 } }],
  schemas: { query: DevicesQuery, responses: { 200: DevicesResponse } },
  async handle({ query, signal }) {
    const { limit, after, site_id: siteIds, ...filter } = parseQuery(DevicesQuery, query);
    const nowMs = Date.now();
    const wanted: DevicesFilter = { ...filter, siteIds };
    const found = await reader.rows<DeviceRow>(devicesQuery(wanted, nowMs, after?.id, limit), { signal });
    if (found.length === 0) await rejectUnknownFilter(registryLog, filter);
    const { rows: shown, next } = devicePages.cutPage(found, limit);
    const ids = shown.map(({ id }) => id);
    const [screens, feeders, [counted]] = await Promise.all([
      reader.rows<DeviceScreensRow>(screensQuery(ids, nowMs), { signal }),
      reader.rows<FeederRow>(feedersQuery(ids, nowMs), { signal }),
      found.length > 0 ? found : reader.rows<{ total: number }>(devicesCountQuery(wanted, nowMs), { signal }),
    ]);
    const screensOf = new Map(screens.map((each) => [each.device_id, each.screens]));
    return allowCompression(
      jsonResponse(200, {
        total: counted?.total ?? 0,
        count: shown.length,
        next_after: next,
        devices: shown.map((device) =>
          toListedDevice(
            device,
            screensOf.get(device.id) ?? [],
            feeders.filter(({ device_id }) => device_id === device.id),
          ),
        ),
      }),
    );
  },
});
