import { Instant, instantOf } from '@popsvc/contracts/time';
import { LIVENESS_KINDS } from '@popsvc/contracts/vocabulary';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import {
  instantParameter,
  idParameter,
  jsonResponse,
  keysetPages,
  parseQuery,
  type Route,
  switchParameter,
} from '@popsvc/http-kit/server';
import { z } from 'zod';
import { networkIdField, networkParameter, nextAfter, pageParameters } from '../requests/parameters.ts';
import { rejectUnknownFilter } from '../registry/checks.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { type OutageRow, outagesQuery } from './queries.ts';

export interface OutagesDependencies {
  readonly reader: ClickHouseReader;
}

const ListedOutage = z
  .object({
    network_id: networkIdField,
    kind: z.enum(LIVENESS_KINDS).describe('Whether the outage is of a device or of a feeder.'),
    id: z.int().min(1).describe('Id of the device or feeder.'),
    name: z.string().describe('Empty if the registry does not contain it.'),
    device_id: z.int().min(0).describe('The device itself, or the one the feeder belongs to.'),
    site_id: z.int().min(0).describe('The current site of the device; 0 if the registry does not contain it.'),
    site_name: z.string().describe('Empty if the registry does not contain the site.'),
    site_timezone: z.string().nullable().describe('Null if the registry does not contain the site.'),
    offline_at: Instant.describe('Start of the outage, corrected by backfilled heartbeats.'),
    online_at: Instant.nullable().describe('Null if ongoing.'),
    seconds: z.number().min(0).describe('Duration; until now if ongoing.'),
    backfilled: z.boolean().describe('Whether backfilled heartbeats shortened the recorded outage.'),
  })
  .meta({ id: 'ListedOutage' });

const OutagesResponse = z.object({
  from: Instant.describe('Start of the window; includes outages that end after it.'),
  to: Instant.nullable().describe('The end of the window.'),
  outages: z.array(ListedOutage).describe('Newest first.'),
  next_after: nextAfter,
});
type OutagesResponse = z.output<typeof OutagesResponse>;

const toListedOutage = (
  { offline_ms, online_ms, backfilled, ...whose }: OutageRow,
  nowMs: number,
): OutagesResponse['outages'][number] => ({
  ...whose,
  site_timezone: whose.site_timezone || null,
  offline_at: instantOf(offline_ms),
  online_at: online_ms === null ? null : instantOf(online_ms),
  seconds: Math.max(0, (online_ms ?? nowMs) - offline_ms) / 1_000,
  backfilled: backfilled === 1,
});

const outagePages = keysetPages({
  offline_ms: String.raw`\d{1,15}`,
  kind: '(?:device|feeder)',
  id: String.raw`\d{1,16}`,
});

const weekMs = 7 * 86_400_000;

const OutagesQuery = z
  .strictObject({
    network: networkParameter.optional(),
    device: idParameter.optional().describe('Only this device.'),
    feeder: idParameter.optional().describe('Only this feeder; with `device`, both.'),
    site: idParameter.optional().describe('Only devices currently in this site, and their feeders.'),
    from: instantParameter.optional().describe('Only outages that ended after this time; default a week before `to`.'),
    to: instantParameter.optional().describe('Only outages that began before this time.'),
    open: switchParameter.describe('`true`: only ongoing outages.'),
    ...pageParameters(outagePages, 100),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from < to, {
    path: ['from'],
    message: 'must be before to',
  });

export const outagesRoute = ({ reader }: OutagesDependencies, registryLog: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/outages',
  summary: 'Outages of devices and feeders, newest first; of the last week by default.',
  description:
    'Lists outages that overlap the window, including those that began earlier or are ongoing. Backfilled heartbeats shorten, split or remove an outage.',
  operationId: 'listOutages',
  access: 'viewer',
  examples: [{ name: 'lasting', query: { open: true, limit: 10 } }],
  schemas: { query: OutagesQuery, responses: { 200: OutagesResponse } },
  async handle({ query, signal }) {
    const { from: since, ...filter } = parseQuery(OutagesQuery, query);
    const nowMs = Date.now();
    const from = since ?? (filter.to ?? nowMs) - weekMs;
    const found = await reader.rows<OutageRow>(outagesQuery({ ...filter, from }), { signal });
    if (found.length === 0) await rejectUnknownFilter(registryLog, filter);
    const { rows, next } = outagePages.cutPage(found, filter.limit);
    return jsonResponse(200, {
      from: instantOf(from),
      to: filter.to === undefined ? null : instantOf(filter.to),
      outages: rows.map((outage) => toListedOutage(outage, nowMs)),
      next_after: next,
    });
  },
});
