import type { Gate } from '../gates.ts';
import type { Ran } from './print.ts';
import { short, table } from './table.ts';
import { limitOf, verdictOn, verdictOnFigure } from './verdict.ts';

const bound = (isLeast: boolean, text: string) => `${isLeast ? '≥' : '≤'} ${text}`;
const withPlus = (limit: number, plus: number | undefined, unit: string) =>
  `${limit < 0.1 && limit > 0 ? limit.toFixed(3) : short(limit)}${plus === undefined ? '' : ` × + ${short(plus)} ${unit}`}`;

/** One gate held against what was run; undefined where its scenario was not. */
const gateRow = (gate: Gate, runs: readonly Ran[]): readonly string[] | undefined => {
  const run = runs.find(({ scenario }) => scenario === gate.scenario);
  const head = [gate.id, gate.scenario, gate.name];
  if (gate.floor === undefined) {
    const figure = run?.figures.find(({ name }) => name === gate.name);
    if (!figure) return undefined;
    const { unit, value } = figure;
    const limit = bound(gate.atLeast === true, `${short(gate.limit)} ${unit}`);
    return [...head, '–', limit, `${short(value)} ${unit}`, '–', verdictOnFigure(figure, gate)];
  }
  const measure = run?.measures.find(({ name, floor }) => name === gate.name && floor === gate.floor);
  if (!measure) return undefined;
  const isShare = measure.reading === 'share';
  const { stretch } = gate;
  const asked = bound(isShare, withPlus(gate.limit, gate.plus, measure.unit));
  const measured = withPlus(measure.ratio, undefined, '');
  const allowed = gate.plus === undefined ? '' : ` of ${short(limitOf(measure, gate.limit, gate.plus))}`;
  return [
    ...head,
    gate.floor,
    asked,
    measured + allowed,
    stretch === undefined ? '–' : bound(isShare, withPlus(stretch, gate.stretchPlus, measure.unit)),
    verdictOn(measure, gate),
  ];
};

/** The gates of what was run: asked, measured, hoped for, and whether it is there. */
export const gateTable = (gates: readonly Gate[], runs: readonly Ran[]): string => {
  const rows = gates.map((gate) => gateRow(gate, runs)).filter((row) => row !== undefined);
  if (rows.length === 0) return '';
  return `${table([['gate', 'scenario', 'measure', 'floor', 'asked', 'measured', 'stretch', ''], ...rows])}\n`;
};
