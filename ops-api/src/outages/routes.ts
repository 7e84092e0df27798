import { Instant, instantOf } from '@popsvc/contracts/time';
import { LIVENESS_KINDS } from '@popsvc/contracts/vocabulary';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import type { OpsDependencies } from '../dependencies.ts';
import {
  instantParameter,
  integerParameter,
  listLimit,
  networkParameter,
  parseQuery,
  switchParameter,
} from '../parameters.ts';
import { rejectUnknownFilter } from '../registry/checks.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { type OutageCursor, type OutageRow, outagesQuery } from './queries.ts';

const ListedOutage = z
  .object({
    network_id: z.int().min(1),
    kind: z.enum(LIVENESS_KINDS),
    id: z.int().min(1),
    name: z.string().describe('Empty when the registry does not know it.'),
    device_id: z.int().min(0).describe('The device itself, or the one the feeder belongs to.'),
    site_id: z.int().min(0).describe('Where the device is now; 0 when the registry does not know it.'),
    site_name: z.string(),
    offline_at: Instant,
    online_at: Instant.nullable().describe('Null while it lasts.'),
    seconds: z.number().min(0).describe('How long; until now while it lasts.'),
    backfilled: z.boolean().describe('Shorter than it was recorded, by heartbeats that were backfilled.'),
  })
  .meta({ id: 'ListedOutage' });

const OutagesResponse = z.object({
  from: Instant.describe('The start of the window; outages that lasted until after it are told.'),
  to: Instant.nullable().describe('The end of the window.'),
  outages: z.array(ListedOutage),
  next_cursor: z.string().nullable().describe('What to send as `cursor` for the next page; null on the last.'),
});
type OutagesResponse = z.output<typeof OutagesResponse>;

/** Converts an outage row; the duration of an ongoing outage runs to `nowMs`. */
const toListedOutage = (
  { offline_ms, online_ms, backfilled, ...whose }: OutageRow,
  nowMs: number,
): OutagesResponse['outages'][number] => ({
  ...whose,
  offline_at: instantOf(offline_ms),
  online_at: online_ms === null ? null : instantOf(online_ms),
  seconds: Math.max(0, (online_ms ?? nowMs) - offline_ms) / 1_000,
  backfilled: backfilled === 1,
});

const cursorPattern = /^(\d{1,15})\.(device|feeder)\.(\d{1,16})$/;

/** The cursor of the page after this outage. */
const encodeCursor = ({ offline_ms, kind, id }: OutageRow): string => `${offline_ms}.${kind}.${id}`;

const decodeCursor = (cursor: string): OutageCursor => {
  const [, offlineMs, kind, id] = cursorPattern.exec(cursor)!;
  return { offlineMs: Number(offlineMs), kind: kind as OutageCursor['kind'], id: Number(id) };
};

const weekMs = 7 * 86_400_000;
const idParameter = integerParameter(1, Number.MAX_SAFE_INTEGER);

const OutagesQuery = z
  .strictObject({
    network: networkParameter.optional(),
    device: idParameter.optional().describe('Of this device.'),
    feeder: idParameter.optional().describe('Of this feeder; with `device`, of both.'),
    site: idParameter.optional().describe('Of the devices that are in this site now, and of their feeders.'),
    from: instantParameter.optional().describe('That lasted until after it; default a week before `to`.'),
    to: instantParameter.optional().describe('That began before it.'),
    open: switchParameter.optional().describe('true: those that last.'),
    limit: listLimit(100),
    cursor: z
      .string()
      .regex(cursorPattern, 'must be the next_cursor of a list')
      .optional()
      .describe('Where the page before ended.'),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from < to, {
    path: ['from'],
    message: 'must be before to',
  });

export const outagesRoute = ({ reader }: Pick<OpsDependencies, 'reader'>, known: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/outages',
  summary: 'When devices and feeders were offline, the newest first; of the last week unless asked otherwise.',
  description:
    'An outage is told when any part of it lies in the window, also one that began before or still lasts. Heartbeats that were backfilled shorten an outage, part it or make it vanish.',
  operationId: 'listOutages',
  access: 'operator',
  examples: [{ name: 'lasting', query: { open: true, limit: 10 } }],
  schemas: { query: OutagesQuery, responses: { 200: OutagesResponse } },
  async handle({ query, signal }) {
    const { from: since, open, cursor, ...asked } = parseQuery(OutagesQuery, query);
    const nowMs = Date.now();
    const from = since ?? (asked.to ?? nowMs) - weekMs;
    const found = await reader.rows<OutageRow>(
      outagesQuery({
        ...asked,
        from,
        open: open === 'true',
        after: cursor === undefined ? undefined : decodeCursor(cursor),
      }),
      { signal },
    );
    if (found.length === 0) await rejectUnknownFilter(known, asked);
    const shown = found.slice(0, asked.limit);
    return jsonResponse(200, {
      from: instantOf(from),
      to: asked.to === undefined ? null : instantOf(asked.to),
      outages: shown.map((outage) => toListedOutage(outage, nowMs)),
      next_cursor: found.length > shown.length ? encodeCursor(shown.at(-1)!) : null,
    });
  },
});
