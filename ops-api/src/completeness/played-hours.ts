import type { Sql } from '@popsvc/platform/clickhouse';
import { early, inHours, playedQuery, sentQuery } from './played.query.ts';
import type { HoursOf, LiveGenerations, Stretch } from './stretch.ts';

type Hours = Map<string, Set<number>>;

/** Screens and hours of which something is asked together. */
interface Asked {
  readonly screens: readonly string[];
  readonly hours: readonly number[];
}

interface Wanted {
  readonly stretch: Stretch;
  readonly screens: readonly string[];
  /** Hours that have begun, from the start of the stretch. */
  readonly hours: number;
  readonly live: LiveGenerations;
}

const add = (to: Hours, rows: readonly HoursOf<string>[]): void => {
  for (const { of, hours } of rows) to.set(of, new Set([...(to.get(of) ?? []), ...hours]));
};

/**
 * What is not known yet, in two: hours in which most screens are missing, when hardly anything is there to be read (nights), and the
 * few screens that are missing in the others.
 */
const missing = (known: Hours, { screens, hours }: Wanted): readonly Asked[] => {
  const [dark, busy] = [new Map<number, string[]>(), new Map<number, string[]>()];
  for (let hour = 0; hour < hours; hour += 1) {
    const unseen = screens.filter((screen) => known.get(screen)?.has(hour) !== true);
    if (unseen.length > 0) (unseen.length * 2 > screens.length ? dark : busy).set(hour, unseen);
  }
  return [dark, busy]
    .filter(({ size }) => size > 0)
    .map((each) => ({ screens: [...new Set([...each.values()].flat())], hours: [...each.keys()] }));
};

/**
 * In which hours plays that stand began. To tell which of several rows stands costs the most by far, and a screen that plays at all
 * mostly does in the first minutes of an hour: so those are looked at, then in which of the other hours anything was sent, and then
 * these hours alone.
 */
export const playedHours = async (
  ask: (query: Sql) => Promise<readonly HoursOf<string>[]>,
  wanted: Wanted,
): Promise<ReadonlyMap<string, ReadonlySet<number>>> => {
  const { stretch, screens, live } = wanted;
  const known: Hours = new Map();
  add(known, await ask(playedQuery(stretch, screens, early)));
  const sent = await Promise.all(missing(known, wanted).map((asked) => ask(sentQuery(stretch, asked, live))));
  const left = sent
    .flat()
    .map(({ of, hours }) => ({ of, hours: hours.filter((hour) => known.get(of)?.has(hour) !== true) }))
    .filter(({ hours }) => hours.length > 0);
  if (left.length === 0) return known;
  const inThose = inHours(stretch, [...new Set(left.flatMap(({ hours }) => hours))]);
  add(known, await ask(playedQuery(stretch, [...new Set(left.map(({ of }) => of))], inThose)));
  return known;
};
