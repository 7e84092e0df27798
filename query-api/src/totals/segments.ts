import { ceilMs, type Window } from '../asked/index.ts';
import type { TimeRange } from '../queries/index.ts';

/** A UTC day, as far as it is in a window. */
export interface Segment extends TimeRange {
  /** Since 1970. */
  readonly day: number;
}

const dayMs = 86_400_000;

export const segmentsOf = ({ from, to }: Window): readonly Segment[] => {
  const [fromMs, toMs] = [ceilMs(from), ceilMs(to)];
  const first = Math.floor(fromMs / dayMs);
  const days = Math.max(0, Math.ceil(toMs / dayMs) - first);
  return Array.from({ length: days }, (_, index) => {
    const day = first + index;
    return { day, fromMs: Math.max(fromMs, day * dayMs), toMs: Math.min(toMs, (day + 1) * dayMs) };
  });
};

/** Neighbours as one: fewer conditions, and one reading of what lies together. */
export const stretchesOf = (segments: readonly Segment[]): readonly TimeRange[] => {
  const stretches: TimeRange[] = [];
  for (const { fromMs, toMs } of segments) {
    const last = stretches.at(-1);
    if (last?.toMs === fromMs) stretches[stretches.length - 1] = { ...last, toMs };
    else stretches.push({ fromMs, toMs });
  }
  return stretches;
};
