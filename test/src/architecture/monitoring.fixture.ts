import { parse } from 'yaml';
import { createMetrics } from '@popsvc/platform/telemetry';
import { processMetrics, listSeriesNames } from '@popsvc/tools/reference-pages';
import { files, read } from './tree.fixture.ts';

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const alerts = parse(read('deploy/prometheus/alerts.yml')) as {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
};
export const groups = alerts.groups;
export const rules: readonly Rule[] = groups.flatMap((group) => group.rules);

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

export const dashboards: ReadonlyMap<string, Dashboard> = new Map(
  files
    .filter((path) => /^deploy\/grafana\/dashboards\/.*\.json$/.test(path))
    .map((path) => [path, JSON.parse(read(path)) as Dashboard]),
);

/** Labels of every series, added by Prometheus or by our registry. */
const commonLabels = ['job', 'instance', 'service'];

/** The labels of each series, by name: our metrics, those of Node.js, and `up`, which Prometheus writes for each scrape. */
export const readSeriesLabels = (): ReadonlyMap<string, readonly string[]> => {
  const known = new Map<string, readonly string[]>([['up', ['job', 'instance']]]);
  for (const { name } of createMetrics('standard', { standard: true }).getMetricsAsArray())
    known.set(name, commonLabels);
  for (const figure of Object.values(processMetrics).flat())
    for (const series of listSeriesNames(figure))
      known.set(series, [...commonLabels, ...figure.labels, ...(series.endsWith('_bucket') ? ['le'] : [])]);
  return known;
};
