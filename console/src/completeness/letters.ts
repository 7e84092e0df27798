import { type Cell, type CellName, CELLS } from '@popsvc/contracts/completeness';

export interface Letter {
  readonly letter: Cell;
  /** As the server counts it. */
  readonly key: CellName;
  readonly name: string;
  readonly about: string;
}

/** What is there first, what is missing then, what nobody knows last. */
const order: readonly Cell[] = ['p', 'b', 's', 'o', '-'];

const names: Readonly<Record<CellName, string>> = {
  playing: 'Playing',
  backfilled: 'Backfilled',
  silent: 'Online but silent',
  offline: 'Offline',
  unknown: 'Not known',
};

/** What an hour of a screen was. Drawn by shape as well as by colour: what is missing is lower. */
export const letters: readonly Letter[] = order.map((letter) => {
  const { name: key, about } = CELLS[letter];
  return { letter, key, name: names[key], about };
});

export const nameOf = (letter: string): string => letters.find((each) => each.letter === letter)?.name ?? '';
