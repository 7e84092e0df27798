/** The next number upwards that is easy to read: 1, 2, 5 and so on, times ten. */
export const roundUp = (value: number): number => {
  if (value <= 0) return 1;
  const size = 10 ** Math.floor(Math.log10(value));
  return (([1, 2, 4, 5, 10] as const).find((step) => step * size >= value) ?? 10) * size;
};

export interface Shape {
  readonly line: string;
  readonly area: string;
}

const points = (run: readonly (readonly [number, number])[]) => run.map(([x, y]) => `${x} ${y}`).join('L');

/** Values as paths on a field of `values.length - 1` by 100; where nothing was told there is a gap. */
export const shapeOf = (values: readonly (number | null)[], top: number): Shape => {
  const runs: [number, number][][] = [];
  let run: [number, number][] = [];
  values.forEach((value, x) => {
    if (value === null) run = [];
    else {
      if (run.length === 0) runs.push(run);
      run.push([x, Math.round((1 - value / top) * 10_000) / 100]);
    }
  });
  // A value alone between gaps is a short line, or it would not be seen.
  const drawn = runs.map((one): [number, number][] => {
    const [[x, y] = [0, 0]] = one;
    return one.length > 1
      ? one
      : [
          [Math.max(0, x - 0.3), y],
          [x + 0.3, y],
        ];
  });
  return {
    line: drawn.map((one) => `M${points(one)}`).join(''),
    area: drawn.map((one) => `M${one[0]![0]} 100L${points(one)}L${one.at(-1)![0]} 100Z`).join(''),
  };
};
