import { createUploadMetrics } from '@popsvc/command-api/bulk';
import { createIntakeMetrics } from '@popsvc/command-api/intake';
import { createWorkerMetrics } from '@popsvc/command-api/worker';
import { readerMetrics } from '@popsvc/platform/clickhouse';
import { registerFleetMetrics } from '@popsvc/ops-api/server';
import { createEventStoreMetrics } from '@popsvc/platform/event-store';
import { createHttpMetrics, createRateLimits, registerDependencyMetrics } from '@popsvc/http-kit/server';
import { createMetrics, type Registry } from '@popsvc/platform/telemetry';
import {
  createBatchMetrics,
  createDeliveryMetrics,
  createLivenessMetrics,
  createNoticeMetrics,
  createRelayMetrics,
  registerStoreMetrics,
} from '@popsvc/projectors/metrics';
import { code, page, table } from './markdown.ts';

/** A metric as declared by the process that exposes it. */
export interface MetricDescription {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** Names of the labels. Excludes `service`, which all metrics have, and the labels that Prometheus adds. */
  readonly labels: readonly string[];
}

type Declare = (metrics: Registry) => unknown;

/** Placeholder for dependencies that are never used: this program declares the metrics but does not collect their values. */
const unused: never = new Proxy({}, { get: () => () => undefined }) as never;

const http: readonly Declare[] = [createHttpMetrics, (metrics) => registerDependencyMetrics(metrics, {})];
const rates: Declare = (metrics) => createRateLimits(metrics, { units: [] });

const declared: Readonly<Record<string, readonly Declare[]>> = {
  'command-api': [...http, rates, createIntakeMetrics, createUploadMetrics, createEventStoreMetrics],
  worker: [...http, createWorkerMetrics, createEventStoreMetrics],
  projectors: [
    ...http,
    (metrics) => createBatchMetrics({ metrics, statusRegistry: unused, store: unused }),
    (metrics) =>
      registerStoreMetrics({
        metrics,
        postgres: unused,
        readers: [],
        writers: [],
        owner: '',
        requireSyncStandby: true,
        folders: [],
      }),
    (metrics) => registerFleetMetrics(metrics, () => Promise.resolve(undefined)),
    createDeliveryMetrics,
    createNoticeMetrics,
    createLivenessMetrics,
    createRelayMetrics,
    createEventStoreMetrics,
  ],
  'query-api': [...http, rates, readerMetrics],
};

type Declared = Registry['getMetricsAsArray'] extends () => (infer One)[] ? One & { labelNames?: string[] } : never;

const types: Readonly<Record<string, string>> = { 0: 'counter', 1: 'gauge', 2: 'histogram', 3: 'summary' };

const listMetrics = (declare: readonly Declare[]): readonly MetricDescription[] => {
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

/** The metrics that each process exposes at `/metrics`, without the default metrics of Node.js. */
export const processMetrics: Readonly<Record<string, readonly MetricDescription[]>> = Object.fromEntries(
  Object.entries(declared).map(([process, declare]) => [process, listMetrics(declare)]),
);

/** Lists the names of a metric's time series. A histogram has three. */
export const listSeriesNames = ({ name, type }: Pick<MetricDescription, 'name' | 'type'>): readonly string[] =>
  type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name];

const section = (process: string, own: readonly MetricDescription[]): readonly string[] => [
  `## ${process}`,
  table(
    ['Metric', 'Type', 'Labels', 'Meaning'],
    own.map(({ name, type, labels, help }) => [code(name), type, labels.map(code).join(', '), help]),
  ),
];

const [first = [], ...rest] = Object.values(processMetrics);
const isEverywhere = ({ name }: MetricDescription) =>
  rest.every((others) => others.some((other) => other.name === name));
const shared = first.filter(isEverywhere);

export const metricsPage = (): string =>
  page('Metrics', 'the metrics each process declares', [
    'Every process serves `/metrics` in the text format of Prometheus. Requests from another machine need the operator token. Every series has the label `service`. The default metrics of Node.js (`process_…`, `nodejs_…`) are served, too. All labels have a limited set of values. No label contains a device, a client or an id that vendors send; only `popsvc_intake_unknown_references_total` has labels with networks and vendors, of which it names the first 500.',
    'Dashboards and alert rules are in `deploy/grafana` and `deploy/prometheus`. The [guide for operators](../guides/operators/on-call.md#alerts) has the response to each alert.',
    ...section('All processes', shared),
    ...Object.entries(processMetrics).flatMap(([process, own]) =>
      section(
        process,
        own.filter((metric) => !shared.includes(metric) && !isEverywhere(metric)),
      ),
    ),
  ]);
