import { currentEntities } from '@popsvc/domain/registry';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { switches } from '../checked.ts';
import { noParameters } from '../parameters.ts';
import type { RegistryLog } from './registry-log.ts';

const NetworksTold = z.object({
  networks: z
    .array(z.object({ id: z.int().min(1), name: z.string(), timezone: z.string() }).meta({ id: 'ListedNetwork' }))
    .describe('By name, without retired ones.'),
});

/** Few and small, where the whole registry may be megabytes: for who has to choose one. */
export const networksRoute = (known: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/networks',
  summary: 'The networks of the registry.',
  operationId: 'listNetworks',
  access: 'operator',
  examples: [{ name: 'all' }],
  schemas: { query: noParameters, responses: { 200: NetworksTold } },
  async handle({ query }) {
    switches(query, []);
    const { registry } = await known.upToDate();
    const networks = currentEntities(registry, 'networks')
      .filter(({ retired }) => retired !== true)
      .map(({ id, name, timezone }) => ({ id, name, timezone }));
    return jsonResponse(200, { networks: networks.sort((a, b) => a.name.localeCompare(b.name)) });
  },
});
