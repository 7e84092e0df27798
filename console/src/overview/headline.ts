import type { Overview } from '../api/shapes.ts';
import { knownText } from '../parts/numbers.ts';
import { clockText } from '../parts/times.ts';

/** The last hour in a sentence. */
export const headline = ({ now, accepted_last_hour: accepted, refused_last_hour: refused }: Overview): string =>
  `${knownText(accepted)} events accepted, ${knownText(refused)} refused in the last hour; as of ${clockText(Date.parse(now))}`;
