import { ApiError } from '@popsvc/contracts/errors';
import { DeviceStatus, FeederStatus, withEnvelope } from '@popsvc/contracts/responses';
import type { LivenessKind } from '@popsvc/contracts/vocabulary';
import {
  allowCompression,
  idParameter,
  idsParameter,
  jsonResponse,
  noParameters,
  parseParameters,
  parseQuery,
  rawResponse,
  type Route,
  type RouteRequest,
} from '@popsvc/http-kit/server';
import type { Clock } from '@popsvc/platform/runtime';
import { z } from 'zod';
import { dataAsOfHeader, oldestDataAsOfHeader } from '../generations/live-generations.ts';
import { joinRows, mergeLinesById, rowsEnvelope } from '../responses/json-rows.ts';
import { networkHeader, type PlaceFilter, type Scope } from '../scope/scope.ts';
import { findInShards, groupByShard, type ShardOf } from '../shards/shards.ts';
import { statusQueries } from './status-queries.ts';

export interface StatusDependencies {
  readonly scope: Scope;
  readonly shardOf: ShardOf;
  readonly clock: Clock;
}

interface StatusResource {
  readonly kind: LivenessKind;
  readonly plural: string;
  readonly schema: z.ZodType;
  readonly operations: { readonly list: string; readonly one: string };
}

export const statusResources: readonly StatusResource[] = [
  {
    kind: 'device',
    plural: 'devices',
    schema: DeviceStatus,
    operations: { list: 'listDeviceStatus', one: 'getDeviceStatus' },
  },
  {
    kind: 'feeder',
    plural: 'feeders',
    schema: FeederStatus,
    operations: { list: 'listFeederStatus', one: 'getFeederStatus' },
  },
];

const statusQuerySchema = z.strictObject({
  site_id: idsParameter.describe('Only those at these sites; repeat it for several.'),
  location_id: idsParameter.describe(
    'Only those at these locations; repeat it for several. Together with site_id both must match.',
  ),
});

const parsePlaceFilter = ({ query }: Pick<RouteRequest, 'query'>): PlaceFilter => {
  const { site_id: siteIds = [], location_id: locationIds = [] } = parseQuery(statusQuerySchema, query);
  return { siteIds, locationIds };
};

/** Rows pass from ClickHouse to the response without being parsed as JSON. */
export const statusListRoute = (
  { kind, plural, schema, operations }: StatusResource,
  { scope, shardOf, clock }: StatusDependencies,
): Route => ({
  method: 'get',
  path: `/api/v1/${plural}/status`,
  summary: `Which ${plural} are online.`,
  description: 'All networks of the credential, or the selected one.',
  operationId: operations.list,
  access: 'reporting',
  examples: [
    { name: 'all' },
    {
      name: 'ofPlaces',
      query: { site_id: [11, 12], location_id: [21] },
      headers: { 'X-Network-Name': 'Demo network' },
    },
  ],
  schemas: {
    query: statusQuerySchema,
    headers: networkHeader,
    responses: {
      200: withEnvelope(
        z.object({
          count: z.int().min(0).describe(`Number of ${plural} in the response.`),
          rows: z.array(schema).describe('By id.'),
        }),
      ),
    },
    responseHeaders: ['X-Data-As-Of'],
  },
  errorCodes: ['INVALID_PARAM', 'FORBIDDEN_NETWORKS'],
  async handle(request) {
    const filter = parsePlaceFilter(request);
    const networks = await scope.resolveNetworks(request);
    await scope.requirePlaces(networks, filter);
    const nowMs = clock.now();
    const parts = await Promise.all(
      groupByShard(shardOf, networks).map(({ shard, networks: ofShard }) =>
        shard.pinGenerations(['status', 'registry'], async ({ status, registry }) => {
          const generations = { status: status?.generation, registry: registry?.generation };
          const query = statusQueries[kind]({ networks: ofShard, ...filter, ...generations }, nowMs);
          return { status, lines: await shard.reader.lines(query, { signal: request.signal }) };
        }),
      ),
    );
    const { rows, count } = joinRows(mergeLinesById(parts.map(({ lines }) => lines)));
    const { before, after } = rowsEnvelope(`${kind} status retrieved`, { count });
    const content = Buffer.concat([Buffer.from(before), rows, Buffer.from(after)]);
    const headers = oldestDataAsOfHeader(parts.map(({ status }) => status));
    return allowCompression(rawResponse(200, 'application/json; charset=utf-8', content, headers));
  },
});

/** An id of another network gets the same response as an unknown id. */
export const statusRoute = (
  { kind, plural, schema, operations }: StatusResource,
  { scope, shardOf, clock }: StatusDependencies,
): Route => {
  const parameters = { params: z.object({ id: idParameter.describe(`The ${kind}.`) }), query: noParameters };
  return {
    method: 'get',
    path: `/api/v1/${plural}/status/:id`,
    summary: `Whether a ${kind} is online.`,
    operationId: operations.one,
    access: 'reporting',
    examples: [{ name: 'one', params: { id: kind === 'device' ? 31 : 41 } }],
    schemas: {
      ...parameters,
      headers: networkHeader,
      responses: { 200: withEnvelope(schema) },
      responseHeaders: ['X-Data-As-Of'],
    },
    errorCodes: ['INVALID_PARAM', 'FORBIDDEN_NETWORKS', 'NOT_FOUND'],
    async handle(request) {
      const { id } = parseParameters(parameters, request).params;
      const networks = await scope.resolveNetworks(request);
      const nowMs = clock.now();
      const found = await findInShards(groupByShard(shardOf, networks), ({ shard, networks: ofShard }) =>
        shard.pinGenerations(['status', 'registry'], async ({ status, registry }) => {
          const generations = { status: status?.generation, registry: registry?.generation };
          const query = statusQueries[kind]({ networks: ofShard, id, ...generations }, nowMs);
          const [data] = await shard.reader.rows(query, { signal: request.signal });
          return data === undefined ? undefined : { status, data };
        }),
      );
      if (!found) throw new ApiError('NOT_FOUND', `No ${kind} with this id exists in the networks of this request.`);
      const body = { status: true, message: `${kind} status retrieved`, data: found.data };
      return jsonResponse(200, body, dataAsOfHeader(found.status));
    },
  };
};
