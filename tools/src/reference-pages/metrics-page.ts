import { type Figure, figures } from './figures.ts';
import { code, page, table } from './markdown.ts';

const section = (process: string, own: readonly Figure[]): readonly string[] => [
  `## ${process}`,
  table(
    ['Metric', 'Type', 'Labels', 'Meaning'],
    own.map(({ name, type, labels, help }) => [code(name), type, labels.map(code).join(', '), help]),
  ),
];

const [first = [], ...rest] = Object.values(figures);
const isEverywhere = ({ name }: Figure) => rest.every((own) => own.some((figure) => figure.name === name));
const shared = first.filter(isEverywhere);

export const metricsPage = (): string =>
  page('Metrics', 'the metrics each process declares', [
    'Every process answers `/metrics` in the text format of Prometheus: from its own machine, else with the operator token. Every series has the label `service`. Beside these stand the standard ones of Node.js (`process_…`, `nodejs_…`). Labels are of closed sets; none names a device, a client or a network.',
    'Dashboards and alert rules made of them stand in `deploy/grafana` and `deploy/prometheus`; what to do for each alert is told in the [guide for operators](../guides/operators.md#alerts).',
    ...section('Of all processes', shared),
    ...Object.entries(figures).flatMap(([process, own]) =>
      section(
        process,
        own.filter((figure) => !shared.includes(figure) && !isEverywhere(figure)),
      ),
    ),
  ]);
