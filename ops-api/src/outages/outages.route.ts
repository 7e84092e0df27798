import { instantOf } from '@popsvc/contracts/time';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { checkedQuery } from '../checked.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { instantParameter, listLimit, networkParameter, switchParameter, wholeParameter } from '../parameters.ts';
import { refuseUnknown } from '../registry/refuse-unknown.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { type OutageFound, outagesQuery } from './outages.query.ts';
import { OutagesTold } from './outages.schemas.ts';
import { cursorOf, cursorPattern, placeOf, toldOutage } from './told-outage.ts';

const weekMs = 7 * 86_400_000;
const idParameter = wholeParameter(1, Number.MAX_SAFE_INTEGER);

const Asked = z
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
  schemas: { query: Asked, responses: { 200: OutagesTold } },
  async handle({ query, signal }) {
    const { from: since, open, cursor, ...asked } = checkedQuery(Asked, query);
    const nowMs = Date.now();
    const from = since ?? (asked.to ?? nowMs) - weekMs;
    const found = await reader.rows<OutageFound>(
      outagesQuery({
        ...asked,
        from,
        open: open === 'true',
        after: cursor === undefined ? undefined : placeOf(cursor),
      }),
      { signal },
    );
    if (found.length === 0) await refuseUnknown(known, asked);
    const shown = found.slice(0, asked.limit);
    return jsonResponse(200, {
      from: instantOf(from),
      to: asked.to === undefined ? null : instantOf(asked.to),
      outages: shown.map((outage) => toldOutage(outage, nowMs)),
      next_cursor: found.length > shown.length ? cursorOf(shown.at(-1)!) : null,
    });
  },
});
