import { isConclusive, type Measure } from './comparison.ts';

/** A measured value that is not compared with a baseline. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

export interface Outcome {
  readonly measures: readonly Measure[];
  readonly figures: readonly Figure[];
}

export interface ScenarioRun extends Outcome {
  readonly scenario: string;
}

/** Formats rows as a Markdown table with aligned columns; the first row is the header. */
export const formatTable = (rows: readonly (readonly string[])[]): string => {
  const [head = [], ...body] = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, index) => Math.max(3, ...[head, ...body].map((row) => (row[index] ?? '').length)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, index) => (cells[index] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
};

/** Formats a number with about three significant digits; numbers from 100 upwards are rounded to whole numbers. */
export const formatNumber = (value: number): string => {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
};

const readingText = { share: 'of its speed', times: 'times its cost' } as const;

const measureRow = (scenario: string, measure: Measure): readonly string[] => [
  scenario,
  `${measure.name}, ${measure.unit}`,
  measure.baseline,
  formatNumber(measure.baselineValue),
  formatNumber(measure.systemValue),
  `${formatNumber(measure.ratio)} ${readingText[measure.reading]}`,
  measure.quartiles.map(formatNumber).join(' to '),
  measure.selfRatio === undefined ? '–' : formatNumber(measure.selfRatio),
  isConclusive(measure) ? '' : 'inconclusive',
];

const measureHead = [
  'scenario',
  'measure',
  'baseline',
  'baseline has',
  'system has',
  'ratio',
  'half lie in',
  'A/A',
  '',
];

/** Formats a table of all measures, then one of all figures. */
export const formatRuns = (runs: readonly ScenarioRun[]): string => {
  const measures = runs.flatMap((run) => run.measures.map((measure) => measureRow(run.scenario, measure)));
  const figures = runs.flatMap((run) =>
    run.figures.map(({ name, value, unit }) => [run.scenario, name, `${formatNumber(value)} ${unit}`]),
  );
  const tables = [[measureHead, ...measures]];
  if (figures.length > 0) tables.push([['scenario', 'figure', 'value'], ...figures]);
  return `${tables.map(formatTable).join('\n\n')}\n`;
};
