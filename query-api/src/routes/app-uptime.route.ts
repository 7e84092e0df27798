import { withEnvelope } from '@popsvc/contracts/responses';
import { ApiError } from '@popsvc/contracts/errors';
import { instantOf } from '@popsvc/contracts/time';
import { AppUptime } from '@popsvc/contracts/responses';
import type { Span } from '@popsvc/domain/spans';
import { type Uptime, computeUptime } from '@popsvc/domain/uptime';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { idSchema, uptimeAsked, uptimeQuerySchema } from '../asked/index.ts';
import { deviceQuery } from '../queries/index.ts';
import { asOfHeader } from '../reports/index.ts';
import { networkHeader } from '../scope/index.ts';
import { appRecords } from '../uptime/index.ts';
import type { StatusParts } from './status-list.route.ts';

/** A device and where it is, as the answer names it. */
type DeviceRow = Pick<AppUptime, 'device' | 'network' | 'site' | 'location'> & { readonly network_id: number };

/** How an app on a device ran in a window (service.md 4.5, decisions 8). */
export const appUptimeRoute = ({ reader, scope, pinned, clock }: StatusParts): Route => ({
  method: 'get',
  path: '/api/v1/device-apps/:deviceId/:appCode/uptime',
  summary: 'How long an app on a device was running in a window of time, and how it is now.',
  description:
    'Made of the intervals that were pushed and of those that heartbeats of the app form: one state, no more than 180 s ' +
    'between two heartbeats. An app that nothing is known of was stopped all the time.',
  operationId: 'getAppUptime',
  access: 'reporting',
  examples: [
    { name: 'today', params: { deviceId: 31, appCode: 'player' } },
    {
      name: 'aDay',
      params: { deviceId: 31, appCode: 'player' },
      query: { from: '2026-08-20T00:00:00Z', to: '2026-08-21T00:00:00Z' },
    },
  ],
  schemas: {
    params: z.object({
      deviceId: idSchema.describe('The device.'),
      appCode: z.string().describe('The app, percent-encoded if need be.'),
    }),
    query: uptimeQuerySchema,
    headers: networkHeader,
    responses: { 200: withEnvelope(AppUptime) },
    responseHeaders: ['X-Data-As-Of'],
  },
  errorCodes: ['INVALID_PARAM', 'FORBIDDEN_NETWORKS', 'NOT_FOUND'],
  async handle(asked) {
    const nowMs = clock.now();
    const { deviceId, appCode, window } = uptimeAsked(asked, nowMs);
    const { signal } = asked;
    const networks = await scope.networksOf(asked);
    return pinned(['uptime', 'registry'], async ({ uptime: written, registry }) => {
      const device = deviceQuery(networks, deviceId, registry?.generation);
      const [found] = await reader.rows<DeviceRow>(device, { signal });
      if (!found) throw new ApiError('NOT_FOUND', 'There is no such device in these networks.');
      const { network_id: network, ...places } = found;
      const app = { network, deviceId, appCode, generation: written?.generation };
      const uptime = computeUptime(await appRecords({ reader, signal }, app, window, nowMs), window, nowMs);
      const data: AppUptime = { app: { code: appCode }, ...places, ...told(uptime, window) };
      return jsonResponse(200, { status: true, message: 'app uptime retrieved', data }, asOfHeader(written));
    });
  },
});

const told = (
  { windowSeconds, runningSeconds, stoppedSeconds, uptimePct, intervalCount, current }: Uptime,
  { from, to }: Span,
): Pick<AppUptime, 'window' | 'summary' | 'current_status'> => ({
  window: { from: instantOf(from), to: instantOf(to), window_seconds: windowSeconds },
  summary: {
    running_seconds: runningSeconds,
    stopped_seconds: stoppedSeconds,
    uptime_pct: uptimePct,
    interval_count: intervalCount,
  },
  current_status: {
    status: current.state,
    since: instantOf(current.sinceMs),
    hb_last_seen_at: current.lastHeartbeatMs === null ? null : instantOf(current.lastHeartbeatMs),
    source: 'heartbeat',
  },
});
