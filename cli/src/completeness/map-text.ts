import { type Cell, cellLetters, CELLS, type CellName } from '@popsvc/contracts/completeness';

/** What each screen of a page did, as the operations server tells it. */
export interface ToldCompleteness {
  readonly from: string;
  readonly to: string;
  readonly hours: number;
  readonly screens: readonly ToldScreen[];
  /** Where the next page begins; null on the last. */
  readonly next_after: string | null;
  readonly totals: Readonly<Record<CellName, number>>;
}

interface ToldScreen {
  readonly screen_id: string;
  readonly device_name: string;
  readonly site_name: string;
  readonly cells: string;
}

const [hourMs, dayHours] = [3_600_000, 24];

/** Days stand apart, by UTC: an hour of the day is so at a like place in each. */
const parted = (letters: string, from: string): string => {
  const first = new Date(from).getUTCHours();
  return Array.from(letters)
    .map((letter, index) => (index > 0 && (first + index) % dayHours === 0 ? ` ${letter}` : letter))
    .join('');
};

const dayLine = ({ from, hours }: ToldCompleteness): string => {
  const marks = Array.from({ length: hours }, (_, hour) => {
    const at = new Date(Date.parse(from) + hour * hourMs);
    return hour === 0 || at.getUTCHours() === 0 ? at.toISOString().slice(5, 10) : undefined;
  });
  // A day of few hours has no room for its date.
  let line = '';
  const place = Array.from(parted('x'.repeat(hours), from)).flatMap((letter, index) => (letter === 'x' ? [index] : []));
  for (const [hour, mark] of marks.entries())
    if (mark !== undefined && (line === '' || line.length < place[hour]!)) line = line.padEnd(place[hour]!) + mark;
  return line;
};

const legend = (totals: ToldCompleteness['totals']): string =>
  cellLetters.map((letter: Cell) => `${letter} ${CELLS[letter].name} ${totals[CELLS[letter].name]}`).join('   ');

/** A line a screen, a letter an hour, with the dates (UTC) above and what the letters mean below. */
export const mapText = (told: ToldCompleteness): string => {
  if (told.screens.length === 0) return 'There are no such screens.';
  const heads = told.screens.map(({ screen_id, device_name, site_name }) => [screen_id, device_name, site_name]);
  const titles = ['SCREEN', 'DEVICE', 'SITE'];
  const widths = titles.map((title, column) =>
    Math.max(...[title, ...heads.map((head) => head[column]!)].map((text) => text.length)),
  );
  const line = (texts: readonly string[], rest: string) =>
    [...texts.map((text, column) => text.padEnd(widths[column]!)), rest].join('  ').trimEnd();
  return [
    line(titles, dayLine(told)),
    ...told.screens.map(({ cells }, index) => line(heads[index]!, parted(cells, told.from))),
    '',
    `${legend(told.totals)}   (hours, UTC)`,
  ].join('\n');
};
