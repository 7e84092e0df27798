import { type Cell, type CellName, CELLS } from '@popsvc/contracts/completeness';

export interface CellKind {
  readonly letter: Cell;
  readonly name: CellName;
  readonly label: string;
  readonly about: string;
}

const labels: Readonly<Record<CellName, string>> = {
  playing: 'Playing',
  backfilled: 'Backfilled',
  silent: 'Online but silent',
  offline: 'Offline',
  closed: 'Closed',
  expected: 'Still to come',
  unknown: 'Not registered',
};

const legendOrder: readonly Cell[] = ['p', 'b', 's', 'o', 'c', 'e', '-'];

export const cellKinds: readonly CellKind[] = legendOrder.map((letter) => {
  const { name, about } = CELLS[letter];
  return { letter, name, label: labels[name], about };
});

export const cellLabel = (letter: string): string => cellKinds.find((kind) => kind.letter === letter)?.label ?? '';

interface Run {
  readonly letter: string;
  readonly from: number;
  readonly to: number;
}

/** Keeps the number of shapes in a strip for a whole month small. */
const groupRuns = (cells: string): readonly Run[] => {
  const runs: Run[] = [];
  let from = 0;
  for (let index = 1; index <= cells.length; index += 1)
    if (cells[index] !== cells[from]) {
      runs.push({ letter: cells[from]!, from, to: index });
      from = index;
    }
  return runs;
};

/** Bars in a strip of height 20. States differ in shape as well as in color. */
const bars: Readonly<Record<Cell, readonly (readonly [y: number, height: number])[]>> = {
  p: [[1, 18]],
  b: [
    [1, 7],
    [11, 8],
  ],
  s: [[11, 8]],
  o: [[15, 4]],
  c: [[9, 2]],
  e: [
    [1, 1],
    [18, 1],
  ],
  '-': [],
};

export const Cells = ({ cells }: { readonly cells: string }) => (
  <svg viewBox={`0 0 ${cells.length} 20`} preserveAspectRatio="none" aria-hidden="true">
    {groupRuns(cells).flatMap(({ letter, from, to }) =>
      bars[letter as Cell].map(([y, height]) => (
        <rect key={`${from} ${y}`} class={`cell-${letter}`} x={from} width={to - from} y={y} height={height} />
      )),
    )}
  </svg>
);
