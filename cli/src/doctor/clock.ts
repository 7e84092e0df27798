import type { Finding } from './finding.ts';

/** By less than this nobody is harmed. */
const noticedMs = 5_000;
/** The header has only seconds. */
const coarseMs = 1_000;

/**
 * Whether the clock of a server agrees with ours, by the `Date` of its answer: written at some time between `asked` and `heard` (ms
 * since 1970), and an answer may take long. What lies outside of that, the clocks are apart at least.
 */
export const clockFindings = (date: string | null, asked: number, heard: number): readonly Finding[] => {
  const theirs = Date.parse(date ?? '');
  const [ahead, behind] = [theirs - heard, asked - theirs - coarseMs];
  const apart = Math.max(ahead, behind);
  if (!(apart >= noticedMs)) return [];
  const found = `the operations server is ${Math.round(apart / 1_000)} s ${behind > ahead ? 'behind' : 'ahead of'} this machine`;
  return [
    { check: 'clock of this machine', outcome: 'warning', found, advice: 'Let both machines follow one time server.' },
  ];
};
