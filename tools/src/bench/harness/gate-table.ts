import { judgeMeasure, judgeMetric, limitOf, type Target } from './targets.ts';
import type { ScenarioResult } from './print.ts';
import { formatNumber, formatTable } from './table.ts';

const bound = (isLeast: boolean, text: string) => `${isLeast ? '≥' : '≤'} ${text}`;
const withPlus = (limit: number, plus: number | undefined, unit: string) =>
  `${limit < 0.1 && limit > 0 ? limit.toFixed(3) : formatNumber(limit)}${plus === undefined ? '' : ` × + ${formatNumber(plus)} ${unit}`}`;

/** One gate held against what was run; undefined where its scenario was not. */
const gateRow = (gate: Target, runs: readonly ScenarioResult[]): readonly string[] | undefined => {
  const run = runs.find(({ scenario }) => scenario === gate.scenario);
  const head = [gate.id, gate.scenario, gate.name];
  if (gate.baseline === undefined) {
    const metric = run?.metrics.find(({ name }) => name === gate.name);
    if (!metric) return undefined;
    const { unit, value } = metric;
    const limit = bound(gate.atLeast === true, `${formatNumber(gate.limit)} ${unit}`);
    return [...head, '–', limit, `${formatNumber(value)} ${unit}`, '–', judgeMetric(metric, gate)];
  }
  const measure = run?.measures.find(
    ({ name, baseline: baseline }) => name === gate.name && baseline === gate.baseline,
  );
  if (!measure) return undefined;
  const isShare = measure.reading === 'share';
  const { stretch } = gate;
  const asked = bound(isShare, withPlus(gate.limit, gate.plus, measure.unit));
  const measured = withPlus(measure.ratio, undefined, '');
  const allowed = gate.plus === undefined ? '' : ` of ${formatNumber(limitOf(measure, gate.limit, gate.plus))}`;
  return [
    ...head,
    gate.baseline,
    asked,
    measured + allowed,
    stretch === undefined ? '–' : bound(isShare, withPlus(stretch, gate.stretchPlus, measure.unit)),
    judgeMeasure(measure, gate),
  ];
};

/** The gates of what was run: asked, measured, hoped for, and whether it is there. */
export const targetTable = (gates: readonly Target[], runs: readonly ScenarioResult[]): string => {
  const rows = gates.map((gate) => gateRow(gate, runs)).filter((row) => row !== undefined);
  if (rows.length === 0) return '';
  return `${formatTable([['gate', 'scenario', 'measure', 'baseline', 'asked', 'measured', 'stretch', ''], ...rows])}\n`;
};
