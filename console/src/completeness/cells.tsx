import type { Cell } from '@popsvc/contracts/completeness';

export interface Run {
  readonly letter: string;
  readonly from: number;
  readonly to: number;
}

/** Hours that are alike, as one piece: a strip of a month has few. */
export const runsOf = (cells: string): readonly Run[] => {
  const runs: Run[] = [];
  let from = 0;
  for (let index = 1; index <= cells.length; index += 1)
    if (cells[index] !== cells[from]) {
      runs.push({ letter: cells[from]!, from, to: index });
      from = index;
    }
  return runs;
};

/** How the letters stand in a strip of height 20: from where, how high; a backfilled hour is parted. */
const bars: Readonly<Record<Cell, readonly (readonly [y: number, height: number])[]>> = {
  p: [[1, 18]],
  b: [
    [1, 7],
    [11, 8],
  ],
  s: [[11, 8]],
  o: [[15, 4]],
  '-': [],
};

/** Hours of one screen, drawn in a field of their number by 20. */
export const Cells = ({ cells }: { readonly cells: string }) => (
  <svg viewBox={`0 0 ${cells.length} 20`} preserveAspectRatio="none" aria-hidden="true">
    {runsOf(cells).flatMap(({ letter, from, to }) =>
      bars[letter as Cell].map(([y, height]) => (
        <rect key={`${from} ${y}`} class={`cell-${letter}`} x={from} width={to - from} y={y} height={height} />
      )),
    )}
  </svg>
);
