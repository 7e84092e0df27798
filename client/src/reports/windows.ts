import type { Instant } from './report-wish.ts';

export interface TimeWindow {
  readonly from: string;
  readonly to: string;
}

const longestMs = 31 * 24 * 60 * 60 * 1_000;

/** Parts a time into windows that one request may ask for, one after the other: at most 31 days each. */
export function* windows(from: Instant, to: Instant): Generator<TimeWindow> {
  const [fromMs, toMs] = [from, to].map((edge) => new Date(edge).getTime()) as [number, number];
  if (Number.isNaN(fromMs + toMs)) throw new RangeError('from and to must be instants');
  const text = (ms: number) => new Date(ms).toISOString();
  for (let at = fromMs; at < toMs; at += longestMs) yield { from: text(at), to: text(Math.min(at + longestMs, toMs)) };
}
