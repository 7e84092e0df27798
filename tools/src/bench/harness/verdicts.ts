import { isConclusive, type Measure } from './comparison.ts';
import { type Figure, formatNumber, formatTable, type ScenarioRun } from './report.ts';
import type { NoiseClass, Target } from './targets.ts';

type Verdict = 'stretch met' | 'met' | 'in the noise' | 'missed' | 'inconclusive' | 'not measured';

/** Tolerance for noise by kind of measure, as a share of the required value. */
const noise: Readonly<Record<NoiseClass, number>> = { CPU: 0.1, wall: 0.25, latency: 0.25 };

/** A target counts as missed only if the whole run and at least this share of its four parts miss it. */
const missedGroupsShare = 0.75;

/**
 * Returns the required ratio. `plus` is in the unit of the measure, so it is divided by the baseline's value before it is added
 * to `limit`.
 */
const limitOf = ({ baselineValue }: Pick<Measure, 'baselineValue'>, limit: number, plus = 0): number =>
  limit + plus / baselineValue;

type JudgedMeasure = Pick<Measure, 'reading' | 'ratio' | 'groups' | 'baselineValue' | 'selfRatio'>;

/**
 * Returns the verdict on a measure. A target counts as missed only if the whole run and at least three of its four parts miss it
 * by more than the tolerance for noise.
 */
export const judgeMeasure = (measure: JudgedMeasure, target: Target): Verdict => {
  if (!isConclusive(measure)) return 'inconclusive';
  const isShare = measure.reading === 'share';
  const reaches = (ratio: number, limit: number, slack = 0) =>
    isShare ? ratio >= limit * (1 - slack) : ratio <= limit * (1 + slack);
  const { stretch, stretchPlus, kind } = target;
  if (stretch !== undefined && reaches(measure.ratio, limitOf(measure, stretch, stretchPlus))) return 'stretch met';
  const limit = limitOf(measure, target.limit, target.plus);
  if (reaches(measure.ratio, limit)) return 'met';
  const isMissed = (ratio: number) => !reaches(ratio, limit, noise[kind]);
  const missedGroups = measure.groups.filter(isMissed).length;
  const areGroupsMissed = missedGroups >= missedGroupsShare * measure.groups.length;
  return isMissed(measure.ratio) && areGroupsMissed ? 'missed' : 'in the noise';
};

/** Returns the verdict on a figure. Its limit applies exactly, without a tolerance for noise. */
export const judgeFigure = ({ value }: Figure, { limit, atLeast }: Target): Verdict =>
  (atLeast ? value >= limit : value <= limit) ? 'met' : 'missed';

const boundText = (isMinimum: boolean, text: string) => `${isMinimum ? '≥' : '≤'} ${text}`;
const limitText = (limit: number, plus: number | undefined, unit: string) =>
  `${limit < 0.1 && limit > 0 ? limit.toFixed(3) : formatNumber(limit)}${plus === undefined ? '' : ` × + ${formatNumber(plus)} ${unit}`}`;

/** Formats the row of a target; undefined if its scenario was not run. A target without its measure in that scenario is not measured. */
const targetRow = (target: Target, runs: readonly ScenarioRun[]): readonly string[] | undefined => {
  const run = runs.find(({ scenario }) => scenario === target.scenario);
  if (!run) return undefined;
  const head = [target.id, target.scenario, target.name];
  const notMeasured = [...head, target.baseline ?? '–', '–', '–', '–', 'not measured' satisfies Verdict];
  if (target.baseline === undefined) {
    const figure = run.figures.find(({ name }) => name === target.name);
    if (!figure) return notMeasured;
    const { unit, value } = figure;
    const limit = boundText(target.atLeast === true, `${formatNumber(target.limit)} ${unit}`);
    return [...head, '–', limit, `${formatNumber(value)} ${unit}`, '–', judgeFigure(figure, target)];
  }
  const measure = run.measures.find(({ name, baseline }) => name === target.name && baseline === target.baseline);
  if (!measure) return notMeasured;
  const isShare = measure.reading === 'share';
  const { stretch } = target;
  const allowed = target.plus === undefined ? '' : ` of ${formatNumber(limitOf(measure, target.limit, target.plus))}`;
  return [
    ...head,
    target.baseline,
    boundText(isShare, limitText(target.limit, target.plus, measure.unit)),
    limitText(measure.ratio, undefined, '') + allowed,
    stretch === undefined ? '–' : boundText(isShare, limitText(stretch, target.stretchPlus, measure.unit)),
    judgeMeasure(measure, target),
  ];
};

const head = ['target', 'scenario', 'measure', 'baseline', 'required', 'measured', 'stretch', ''];

/** Formats a table of the targets for the scenarios that were run. Returns an empty string if there are none. */
export const targetTable = (targets: readonly Target[], runs: readonly ScenarioRun[]): string => {
  const rows = targets.map((target) => targetRow(target, runs)).filter((row) => row !== undefined);
  return rows.length === 0 ? '' : `${formatTable([head, ...rows])}\n`;
};
