import { ApiError } from '@popsvc/contracts/errors';
import { AppUptime, withEnvelope } from '@popsvc/contracts/responses';
import { instantOf } from '@popsvc/contracts/time';
import type { Span } from '@popsvc/domain/spans';
import { computeUptime, type Uptime } from '@popsvc/domain/uptime';
import { bind, currentRows, type Sql, sql } from '@popsvc/platform/clickhouse';
import { jsonResponse, type Route } from '@popsvc/http-kit/server';
import { registryTables } from '@popsvc/read-models/tables';
import { dataAsOfHeader } from '../generations/live-generations.ts';
import { devicePlaceColumns, devicesWithPlaces, idAndName } from '../scope/device-places.ts';
import { networkHeader } from '../scope/scope.ts';
import { findInShards, groupByShard } from '../shards/shards.ts';
import type { StatusDependencies } from '../status/status.route.ts';
import { readAppIntervals } from './app-intervals.ts';
import { parseUptimeRequest, uptimeParameters } from './uptime-request.ts';

export const appUptimeRoute = ({ scope, shardOf, clock }: StatusDependencies): Route => ({
  method: 'get',
  path: '/api/v1/device-apps/:deviceId/:appCode/uptime',
  summary: 'How long an app on a device was running in a window of time, and its current status.',
  description:
    'Computed from pushed intervals and from the intervals that heartbeats of the app form: one state, with at most 180 s ' +
    'between two heartbeats. An app without any data was stopped all the time; ' +
    'the message says so if no such app is registered.',
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
    ...uptimeParameters,
    headers: networkHeader,
    responses: { 200: withEnvelope(AppUptime) },
    responseHeaders: ['X-Data-As-Of'],
  },
  errorCodes: ['INVALID_PARAM', 'FORBIDDEN_NETWORKS', 'NOT_FOUND'],
  async handle(request) {
    const nowMs = clock.now();
    const { deviceId, appCode, window } = parseUptimeRequest(request, nowMs);
    const { signal } = request;
    const networks = await scope.resolveNetworks(request);
    const found = await findInShards(
      groupByShard(shardOf, networks),
      ({ shard: { reader, pinGenerations }, networks: ofShard }) =>
        pinGenerations(['uptime', 'registry'], async ({ uptime: progress, registry }) => {
          const [row] = await reader.rows<DeviceRow>(queryDevice(ofShard, deviceId, registry?.generation), { signal });
          if (!row) return undefined;
          const { network_id: network, ...places } = row;
          const app = { network, deviceId, appCode, generation: progress?.generation };
          const intervals = await readAppIntervals({ reader, signal }, app, window, nowMs);
          const uptime = renderUptime(computeUptime(intervals, window, nowMs), window);
          const data: AppUptime = { app: { code: appCode }, ...places, ...uptime };
          const isKnown =
            intervals.length > 0 || (await reader.rows(queryApp(appCode, registry?.generation), { signal })).length > 0;
          const message = isKnown ? 'app uptime retrieved' : `app uptime retrieved; no app ${appCode} is registered`;
          return jsonResponse(200, { status: true, message, data }, dataAsOfHeader(progress));
        }),
    );
    if (!found) throw new ApiError('NOT_FOUND', 'No device with this id exists in the networks of this request.');
    return found;
  },
});

type DeviceRow = Pick<AppUptime, 'device' | 'network' | 'site' | 'location'> & { readonly network_id: number };

/** Includes retired devices, whose past uptime is kept. */
const queryDevice = (networks: readonly number[], id: number, registry: number | undefined): Sql => sql`
SELECT d.network_id AS network_id, ${idAndName(sql`d.device_id`, sql`d.name`)} AS device, ${devicePlaceColumns}
FROM ${devicesWithPlaces({ networks, registry }, [sql`device_id = ${bind('UInt64', id)}`])}`;

const queryApp = (code: string, registry: number | undefined): Sql => sql`
SELECT 1 FROM ${currentRows(registryTables.apps, registry)} WHERE code = ${bind('String', code)}`;

const renderUptime = (
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
