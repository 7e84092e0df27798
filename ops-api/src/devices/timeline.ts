import { ApiError, invalidParam } from '@popsvc/contracts/errors';
import { Instant, instantOf } from '@popsvc/contracts/time';
import { STATUSES } from '@popsvc/contracts/vocabulary';
import { statusTimeline } from '@popsvc/domain/status';
import type { Span } from '@popsvc/domain/spans';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import {
  allowCompression,
  idParameter,
  instantParameter,
  jsonResponse,
  parseParameters,
  type Route,
} from '@popsvc/http-kit/server';
import { z } from 'zod';
import { type OutageRow, outagesQuery } from '../outages/queries.ts';
import { backfilledQuery, type DeviceKey, deviceNetworkQuery, receiptsQuery, statusAsOfQuery } from './queries.ts';

const dayMs = 86_400_000;
const [defaultMs, maxMs] = [7 * dayMs, 31 * dayMs];
/** More than a device can have in 31 days, because its outages begin at least 300 s apart. */
const maxOutages = 10_000;

const parameters = {
  params: z.object({ id: idParameter.describe('The device.') }),
  query: z.strictObject({
    from: instantParameter.optional().describe('Default a week before `to`.'),
    to: instantParameter.optional().describe('At most 31 days after `from`; default now.'),
  }),
};

const TimelineResponse = z
  .object({
    device_id: z.int().min(1).describe('The device of the path.'),
    from: Instant.describe('Start of the time range, as requested or by default.'),
    to: Instant.describe('End of the time range, exclusive.'),
    spans: z
      .array(
        z.object({
          from: Instant.describe('When the status began, or `from` of the time range.'),
          to: Instant.describe('Exclusive.'),
          status: z
            .enum([...STATUSES, 'unknown'])
            .describe(
              '`unknown`: no heartbeat was received before it, or heartbeats of this time may not be projected yet.',
            ),
        }),
      )
      .describe('In order and without gaps from `from` to `to`.'),
  })
  .meta({ id: 'DeviceTimeline' });

const frameOf = (from: number | undefined, to: number): Span => {
  const frame = { from: from ?? to - defaultMs, to };
  if (frame.from >= frame.to) throw invalidParam('from', 'from must be before to');
  if (frame.to - frame.from > maxMs) throw invalidParam('to', 'to must be 31 days after from at most');
  return frame;
};

const readTimeline = async (reader: ClickHouseReader, key: DeviceKey, frame: Span, signal: AbortSignal) => {
  // Reads the progress first, so that the later queries see at least all events up to that time.
  const [progress] = await reader.rows<{ as_of_ms: number }>(statusAsOfQuery, { signal });
  const outages = outagesQuery({ ...key, ...frame, open: false, limit: maxOutages });
  const [[receipts], outageRows, backfilled] = await Promise.all([
    reader.rows<{ first_ms: number | null; last_ms: number | null }>(receiptsQuery(key), { signal }),
    reader.rows<OutageRow>(outages, { signal }),
    reader.rows<{ at_ms: number }>(backfilledQuery(key, frame), { signal }),
  ]);
  return statusTimeline(frame, {
    firstReceivedMs: receipts?.first_ms ?? undefined,
    lastReceivedMs: receipts?.last_ms ?? undefined,
    knownUntilMs: Math.min(Date.now(), progress?.as_of_ms ?? 0),
    outages: outageRows.map(({ offline_ms, online_ms }) => ({ from: offline_ms, to: online_ms })),
    backfilledMs: backfilled.map(({ at_ms }) => at_ms),
  });
};

export const deviceTimelineRoute = ({ reader }: { readonly reader: ClickHouseReader }): Route => ({
  method: 'get',
  path: '/ops/v1/devices/:id/timeline',
  summary: 'When a device was online and offline, and when its status is unknown.',
  description: 'Backfilled heartbeats shorten, split or remove an outage.',
  operationId: 'getDeviceTimeline',
  access: 'viewer',
  examples: [{ name: 'lastWeek', params: { id: 31 } }],
  schemas: { ...parameters, responses: { 200: TimelineResponse } },
  errorCodes: ['NOT_FOUND'],
  async handle(request) {
    const { params, query } = parseParameters(parameters, request);
    const frame = frameOf(query.from, query.to ?? Date.now());
    const { signal } = request;
    const [owner] = await reader.rows<{ network_id: number }>(deviceNetworkQuery(params.id), { signal });
    if (!owner) throw new ApiError('NOT_FOUND', 'The registry contains no device with this id.');
    const spans = await readTimeline(reader, { network: owner.network_id, device: params.id }, frame, signal);
    return allowCompression(
      jsonResponse(200, {
        device_id: params.id,
        from: instantOf(frame.from),
        to: instantOf(frame.to),
        spans: spans.map(({ from, to, status }) => ({ from: instantOf(from), to: instantOf(to), status })),
      }),
    );
  },
});
