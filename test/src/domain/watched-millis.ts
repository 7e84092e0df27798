/** Every watched millisecond, with gaps closed, found by testing each one. */
export const watchedMillis = (looks: readonly { from: number; to: number }[], gapMs: number): Set<number> => {
  const end = Math.max(0, ...looks.map(({ to }) => to));
  const watched = new Set<number>();
  let last: number | undefined;
  for (let ms = 0; ms < end; ms += 1) {
    if (!looks.some(({ from, to }) => from <= ms && ms < to)) continue;
    const from = last !== undefined && ms - last - 1 <= gapMs ? last + 1 : ms;
    for (let filled = from; filled <= ms; filled += 1) watched.add(filled);
    last = ms;
  }
  return watched;
};
