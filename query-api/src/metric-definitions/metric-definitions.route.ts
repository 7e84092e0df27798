import { defaultThresholds } from '@popsvc/contracts/metrics';
import { MetricDefinitions } from '@popsvc/contracts/responses';
import { type Sql, sql } from '@popsvc/platform/clickhouse';
import { jsonResponse, noParameters, parseQuery, type Route } from '@popsvc/http-kit/server';
import { registryTables } from '@popsvc/read-models/tables';
import { rowsOfNetwork } from '../scope/network-rows.ts';
import { networkHeader, type Scope } from '../scope/scope.ts';
import type { ShardOf } from '../shards/shards.ts';

export const metricDefinitionsRoute = ({
  scope,
  shardOf,
}: {
  readonly scope: Scope;
  readonly shardOf: ShardOf;
}): Route => ({
  method: 'get',
  path: '/api/v1/metric-definitions',
  summary: "Every version of the thresholds of the request's network.",
  operationId: 'listMetricDefinitions',
  access: 'reporting',
  examples: [{ name: 'ofTheNetwork', headers: { 'X-Network-Name': 'Demo network' } }],
  schemas: { query: noParameters, headers: networkHeader, responses: { 200: MetricDefinitions } },
  errorCodes: ['FORBIDDEN_NETWORKS'],
  async handle(request) {
    parseQuery(noParameters, request.query);
    const network = await scope.resolveNetwork(request);
    const { reader } = shardOf(network);
    const published = await reader.rows<DefinitionRow>(definitionsQuery(network), { signal: request.signal });
    const rows = [defaultVersion, ...published.map(toVersion)].map((version) => ({ network_id: network, ...version }));
    return jsonResponse(200, {
      status: true,
      message: 'metric definitions retrieved',
      data: { count: rows.length, rows },
    });
  },
});

interface DefinitionRow {
  readonly definition: number;
  readonly effective_from_ms: number;
  /** JSON text. */
  readonly thresholds: string;
}

const definitionsQuery = (network: number): Sql => sql`
SELECT definition, toUnixTimestamp64Milli(effective_from) AS effective_from_ms, thresholds
FROM ${rowsOfNetwork(registryTables.metric_definitions, network)}
ORDER BY definition`;

/** In force until the first published version takes effect. */
const defaultVersion = { version: 0, effective_from: null, thresholds: defaultThresholds };

const toVersion = ({ definition, effective_from_ms, thresholds }: DefinitionRow) => ({
  version: definition,
  effective_from: new Date(effective_from_ms).toISOString(),
  thresholds: JSON.parse(thresholds) as unknown,
});
