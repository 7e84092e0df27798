import { join } from 'node:path';
import { Command } from 'commander';
import { loadChart, readValues } from './chart/load-chart.ts';
import { renderChart } from './render-chart.ts';

interface Options {
  readonly values: readonly string[];
  readonly name: string;
  readonly namespace: string;
  readonly notes?: true;
}

const chartFolder = join(import.meta.dirname, '../../../deploy/helm/popsvc');

const command = new Command('npm run helm:render --')
  .description('Prints the Kubernetes manifests of the chart in deploy/helm/popsvc, like helm template.')
  .option('-f, --values <file>', 'values file; may be repeated', (file, all: string[]) => [...all, file], [])
  .option('--name <name>', 'name of the release', 'popsvc')
  .option('--namespace <namespace>', 'namespace of the release', 'popsvc')
  .option('--notes', 'print the notes of the chart instead of the manifests')
  .showHelpAfterError('(use --help for all options)')
  .action(({ values, name, namespace, notes }: Options) => {
    const chart = loadChart(chartFolder);
    const rendered = renderChart(chart, { name, namespace }, values.map(readValues));
    const manifests = rendered.manifests.map(
      ({ path, text }) => `---\n# Source: ${chart.name}/${path}\n${text.trim()}\n`,
    );
    process.stdout.write(notes ? rendered.notes : manifests.join(''));
  });

try {
  command.parse();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
