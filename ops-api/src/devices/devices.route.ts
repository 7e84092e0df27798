import { allowCompression, jsonResponse, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { checkedQuery } from '../checked.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { idsParameter, listLimit, networkParameter, wholeParameter } from '../parameters.ts';
import { refuseUnknown } from '../registry/refuse-unknown.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import {
  type DeviceFound,
  devicesCountQuery,
  devicesQuery,
  type DevicesWanted,
  type FeederFound,
  feedersQuery,
  type ScreensFound,
  screensQuery,
} from './devices.query.ts';
import { DEVICE_STATUSES, DevicesTold } from './devices.schemas.ts';
import { toldDevice } from './told-device.ts';

const Asked = z.strictObject({
  network: networkParameter.optional(),
  status: z.enum(DEVICE_STATUSES).optional(),
  site_id: idsParameter.describe('Those that are in these sites now; repeat it for several.'),
  search: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('A part of the name in any case, or the whole of the id or of a screen it shows or showed.'),
  after: wholeParameter(0, Number.MAX_SAFE_INTEGER).optional().describe('Where the page before ended.'),
  limit: listLimit(100),
});

export const devicesRoute = ({ reader }: Pick<OpsDependencies, 'reader'>, known: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/devices',
  summary: 'Devices with their screens and feeders, and which are online; without retired ones.',
  operationId: 'listDevices',
  access: 'operator',
  examples: [{ name: 'offline', query: { status: 'offline', limit: 10 } }],
  schemas: { query: Asked, responses: { 200: DevicesTold } },
  async handle({ query, signal }) {
    const { limit, after = 0, site_id: siteIds, ...asked } = checkedQuery(Asked, query);
    const nowMs = Date.now();
    const wanted: DevicesWanted = { ...asked, siteIds };
    const found = await reader.rows<DeviceFound>(devicesQuery(wanted, nowMs, after, limit), { signal });
    if (found.length === 0) await refuseUnknown(known, asked);
    const shown = found.slice(0, limit);
    const ids = shown.map(({ id }) => id);
    const [screens, feeders, [counted]] = await Promise.all([
      reader.rows<ScreensFound>(screensQuery(ids, nowMs), { signal }),
      reader.rows<FeederFound>(feedersQuery(ids, nowMs), { signal }),
      // A page tells the total with its devices; one that has none has to ask.
      found.length > 0 ? found : reader.rows<{ total: number }>(devicesCountQuery(wanted, nowMs), { signal }),
    ]);
    const screensOf = new Map(screens.map((each) => [each.device_id, each.screens]));
    return allowCompression(
      jsonResponse(200, {
        total: counted?.total ?? 0,
        count: shown.length,
        next_after: found.length > shown.length ? shown.at(-1)!.id : null,
        devices: shown.map((device) =>
          toldDevice(
            device,
            screensOf.get(device.id) ?? [],
            feeders.filter(({ device_id }) => device_id === device.id),
          ),
        ),
      }),
    );
  },
});
