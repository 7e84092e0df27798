import { instantOf } from '@popsvc/contracts/time';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { checkedQuery } from '../checked.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { instantParameter, listLimit, networkParameter, vendorParameter } from '../parameters.ts';
import { refuseUnknown } from '../registry/refuse-unknown.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { type HourOfSum, hoursAndSumQuery, sumOf } from './balance.query.ts';
import { BalanceTold } from './balance.schemas.ts';
import { toldHour } from './told-hour.ts';

const dayMs = 86_400_000;

const Hours = z.strictObject({
  network: networkParameter.optional(),
  vendor: vendorParameter.optional(),
  since: instantParameter.optional(),
  until: instantParameter.optional(),
  limit: listLimit(1_000),
});

export const balanceRoute = ({ reader }: Pick<OpsDependencies, 'reader'>, known: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/balance',
  summary:
    'What became of what vendors sent, by hour of receipt and together; of the last 24 h unless asked otherwise.',
  operationId: 'getBalance',
  access: 'operator',
  examples: [{ name: 'lastDay', query: { network: 1 } }],
  schemas: { query: Hours, responses: { 200: BalanceTold } },
  async handle({ query, signal }) {
    const { since, until, limit, ...of } = checkedQuery(Hours, query);
    const from = since ?? (until ?? Date.now()) - dayMs;
    const wanted = { ...of, from, to: until };
    const hours = await reader.rows<HourOfSum>(hoursAndSumQuery(wanted, limit), { signal });
    if (hours.length === 0) await refuseUnknown(known, of);
    return jsonResponse(200, {
      since: instantOf(from),
      until: until === undefined ? null : instantOf(until),
      sum: sumOf(hours),
      hours: hours.map(({ together: _, ...hour }) => toldHour(hour)),
    });
  },
});
