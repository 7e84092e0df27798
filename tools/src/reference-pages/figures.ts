import { createUploadMetrics } from '@popsvc/command-api/bulk';
import { createIntakeMetrics } from '@popsvc/command-api/intake';
import { createWorkerMetrics } from '@popsvc/command-api/worker';
import { createBusMetrics } from '@popsvc/platform/message-bus';
import { registerDependencyMetrics, createHttpMetrics, createRateLimits } from '@popsvc/platform/http';
import { readerMetrics } from '@popsvc/platform/clickhouse';
import { createMetrics, type Registry } from '@popsvc/platform/telemetry';
import {
  createBatchMetrics,
  createLivenessMetrics,
  createRelayMetrics,
  registerStoreMetrics,
} from '@popsvc/projectors/metrics';

/** A metric as its process tells it. */
export interface Figure {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** Without those every metric has: `service`, and what Prometheus adds. */
  readonly labels: readonly string[];
}

type Declare = (metrics: Registry) => unknown;

/** What is declared is not asked, so it needs nobody to ask. */
const nobody: never = new Proxy({}, { get: () => () => undefined }) as never;

const http: readonly Declare[] = [createHttpMetrics, (metrics) => registerDependencyMetrics(metrics, {})];
const rates: Declare = (metrics) => createRateLimits(metrics, { units: [] });

const declared: Readonly<Record<string, readonly Declare[]>> = {
  'command-api': [...http, rates, createIntakeMetrics, createUploadMetrics, createBusMetrics],
  worker: [...http, createWorkerMetrics, createBusMetrics],
  projectors: [
    ...http,
    (metrics) => createBatchMetrics({ metrics, board: nobody, store: nobody }),
    (metrics) => registerStoreMetrics({ metrics, postgres: nobody, reader: nobody, writer: nobody, owner: '' }),
    createLivenessMetrics,
    createRelayMetrics,
  ],
  'query-api': [...http, rates, readerMetrics],
};

type Declared = Registry['getMetricsAsArray'] extends () => (infer One)[] ? One & { labelNames?: string[] } : never;

const types: Readonly<Record<string, string>> = { 0: 'counter', 1: 'gauge', 2: 'histogram', 3: 'summary' };

const figuresOf = (declare: readonly Declare[]): readonly Figure[] => {
  const registry = createMetrics('reference');
  for (const each of declare) each(registry);
  return (registry.getMetricsAsArray() as Declared[])
    .map(({ name, help, type, labelNames = [] }) => ({
      name,
      help,
      type: types[String(type)] ?? String(type),
      labels: labelNames,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
};

/** What each process tells at `/metrics`, beside what Node.js tells of itself. */
export const figures: Readonly<Record<string, readonly Figure[]>> = Object.fromEntries(
  Object.entries(declared).map(([process, declare]) => [process, figuresOf(declare)]),
);

/** Names under which a metric is found when asked for: a histogram has three. */
export const seriesOf = ({ name, type }: Pick<Figure, 'name' | 'type'>): readonly string[] =>
  type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name];
