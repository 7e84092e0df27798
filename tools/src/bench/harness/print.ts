import { isConclusive, type Measure } from './compare.ts';
import type { Outcome } from './scenario.ts';
import { formatNumber, formatTable } from './table.ts';

export interface ScenarioResult extends Outcome {
  readonly scenario: string;
}

const signs = { share: 'of its speed', times: 'times its cost' } as const;

const measureRow = (scenario: string, measure: Measure): readonly string[] => [
  scenario,
  `${measure.name}, ${measure.unit}`,
  measure.baseline,
  formatNumber(measure.baselineValue),
  formatNumber(measure.systemValue),
  `${formatNumber(measure.ratio)} ${signs[measure.reading]}`,
  measure.quartiles.map(formatNumber).join(' to '),
  measure.sameAgainstSame === undefined ? '–' : formatNumber(measure.sameAgainstSame),
  isConclusive(measure) ? '' : 'inconclusive',
];

/** Measures with their baselines, then metrics that stand alone. */
export const formatResults = (runs: readonly ScenarioResult[]): string => {
  const measures = runs.flatMap(({ scenario, measures: of }) => of.map((measure) => measureRow(scenario, measure)));
  const metrics = runs.flatMap(({ scenario, metrics: of }) =>
    of.map(({ name, value, unit }) => [scenario, name, `${formatNumber(value)} ${unit}`]),
  );
  const head = ['scenario', 'measure', 'baseline', 'baseline has', 'system has', 'ratio', 'half lie in', 'A/A', ''];
  const parts = [[head, ...measures], ...(metrics.length > 0 ? [[['scenario', 'metric', 'value'], ...metrics]] : [])];
  return `${parts.map(formatTable).join('\n\n')}\n`;
};
