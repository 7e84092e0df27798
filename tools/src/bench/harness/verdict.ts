import type { Gate, Kind } from '../gates.ts';
import { isConclusive, type Measure } from './compare.ts';
import type { Figure } from './scenario.ts';

export type Verdict = 'stretch met' | 'met' | 'in the noise' | 'missed' | 'inconclusive';

/** By how much a gate may be missed without anything being said by it. */
const noise: Readonly<Record<Kind, number>> = { CPU: 0.1, wall: 0.25, latency: 0.25 };

/** Of the stretches of a run so many must miss as well. */
const mostGroups = 0.75;

/** The ratio that is asked for: times the floor, and a constant of which the floor is a part. */
export const limitOf = ({ floorValue }: Pick<Measure, 'floorValue'>, limit: number, plus = 0): number =>
  limit + plus / floorValue;

type Judged = Pick<Measure, 'reading' | 'ratio' | 'groups' | 'floorValue' | 'sameAgainstSame'>;

/** A gate is missed where the whole and most parts of it miss by more than noise. */
export const verdictOn = (measure: Judged, gate: Gate): Verdict => {
  if (!isConclusive(measure)) return 'inconclusive';
  const isShare = measure.reading === 'share';
  const reaches = (ratio: number, limit: number, slack = 0) =>
    isShare ? ratio >= limit * (1 - slack) : ratio <= limit * (1 + slack);
  const { stretch, stretchPlus, kind } = gate;
  if (stretch !== undefined && reaches(measure.ratio, limitOf(measure, stretch, stretchPlus))) return 'stretch met';
  const limit = limitOf(measure, gate.limit, gate.plus);
  if (reaches(measure.ratio, limit)) return 'met';
  const isMissed = (ratio: number) => !reaches(ratio, limit, noise[kind]);
  const missedGroups = measure.groups.filter(isMissed).length;
  return isMissed(measure.ratio) && missedGroups >= mostGroups * measure.groups.length ? 'missed' : 'in the noise';
};

/** A figure is what it is. */
export const verdictOnFigure = ({ value }: Figure, { limit, atLeast }: Gate): Verdict =>
  (atLeast ? value >= limit : value <= limit) ? 'met' : 'missed';
