/** A half-open interval [from, to). */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Joins spans that overlap or are at most `gap` apart. Drops empty spans. */
export const joinSpans = (spans: readonly Span[], gap = 0): Span[] => {
  const joined: Span[] = [];
  const sorted = spans.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from);
  for (const { from, to } of sorted) {
    const last = joined.at(-1);
    if (last && from - last.to <= gap) joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    else joined.push({ from, to });
  }
  return joined;
};

export const cutSpans = (spans: readonly Span[], frame: Span): Span[] =>
  spans
    .map(({ from, to }) => ({ from: Math.max(from, frame.from), to: Math.min(to, frame.to) }))
    .filter(({ from, to }) => to > from);

/** The spans must not overlap. */
export const lengthOf = (spans: readonly Span[]): number => spans.reduce((sum, { from, to }) => sum + to - from, 0);
