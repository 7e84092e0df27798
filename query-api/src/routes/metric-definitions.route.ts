import { defaultThresholds } from '@popsvc/contracts/metrics';
import { MetricDefinitions } from '@popsvc/contracts/responses';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import { z } from 'zod';
import { Parameters } from '../asked/index.ts';
import { metricDefinitionsQuery } from '../queries/index.ts';
import { networkHeader, type Scope } from '../scope/index.ts';

interface Stored {
  readonly definition: number;
  readonly effective_from_ms: number;
  /** JSON. */
  readonly thresholds: string;
}

/** What counts as impression, glance, view and view-through in a network, with every version there was (decisions 6.7). */
export const metricDefinitionsRoute = ({ reader, scope }: { reader: ClickHouseReader; scope: Scope }): Route => ({
  method: 'get',
  path: '/api/v1/metric-definitions',
  summary: "Every version of the thresholds of the request's network.",
  operationId: 'listMetricDefinitions',
  access: 'reporting',
  examples: [{ name: 'ofTheNetwork', headers: { 'X-Network-Name': 'Demo network' } }],
  schemas: { query: z.strictObject({}), headers: networkHeader, responses: { 200: MetricDefinitions } },
  errorCodes: ['FORBIDDEN_NETWORKS'],
  async handle(asked) {
    new Parameters(asked.query, []).settle();
    const network = await scope.networkOf(asked);
    const stored = await reader.rows<Stored>(metricDefinitionsQuery(network), { signal: asked.signal });
    const rows = [standard, ...stored.map(published)];
    return jsonResponse(200, {
      status: true,
      message: 'metric definitions retrieved',
      data: { count: rows.length, rows: rows.map((row) => ({ network_id: network, ...row })) },
    });
  },
});

const published = ({ definition, effective_from_ms, thresholds }: Stored) => ({
  version: definition,
  effective_from: new Date(effective_from_ms).toISOString(),
  thresholds: JSON.parse(thresholds) as unknown,
});

/** In force until the first published version takes effect, and so one of the versions. */
const standard = { version: 0, effective_from: null, thresholds: defaultThresholds };
