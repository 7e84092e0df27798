import { isConclusive, type Measure } from './compare.ts';
import type { Outcome } from './scenario.ts';
import { short, table } from './table.ts';

export interface Ran extends Outcome {
  readonly scenario: string;
}

const signs = { share: 'of its speed', times: 'times its cost' } as const;

const measureRow = (scenario: string, measure: Measure): readonly string[] => [
  scenario,
  `${measure.name}, ${measure.unit}`,
  measure.floor,
  short(measure.floorValue),
  short(measure.systemValue),
  `${short(measure.ratio)} ${signs[measure.reading]}`,
  measure.quartiles.map(short).join(' to '),
  measure.sameAgainstSame === undefined ? '–' : short(measure.sameAgainstSame),
  isConclusive(measure) ? '' : 'inconclusive',
];

/** Measures with their floors, then figures that stand alone. */
export const asTables = (runs: readonly Ran[]): string => {
  const measures = runs.flatMap(({ scenario, measures: of }) => of.map((measure) => measureRow(scenario, measure)));
  const figures = runs.flatMap(({ scenario, figures: of }) =>
    of.map(({ name, value, unit }) => [scenario, name, `${short(value)} ${unit}`]),
  );
  const head = ['scenario', 'measure', 'floor', 'floor has', 'system has', 'ratio', 'half lie in', 'A/A', ''];
  const parts = [[head, ...measures], ...(figures.length > 0 ? [[['scenario', 'figure', 'value'], ...figures]] : [])];
  return `${parts.map(table).join('\n\n')}\n`;
};
