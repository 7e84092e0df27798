import { type Cell, cellLetters, CELLS, type CellName } from '@popsvc/contracts/completeness';
import { instantOf } from '@popsvc/contracts/time';
import { cellOf } from '@popsvc/domain/completeness';
import { type Registry, segmentAt } from '@popsvc/domain/registry';
import type { Reader, ReadOptions, Sql } from '@popsvc/platform/read-store';
import {
  heardQuery,
  type HoursOf,
  lateBeatsQuery,
  latePlaysQuery,
  onlineQuery,
  outOfUseQuery,
  playedQuery,
} from './completeness.query.ts';
import type { Completeness } from './completeness.schemas.ts';
import { namesOf, type ScreenAsked, screensAsked, type ScreensWanted, touching } from './screens-asked.ts';

export const hourMs = 3_600_000;

/** Whether something was in an hour, by its key. */
type InHour<Key> = (key: Key, hour: number) => boolean;

interface Signs {
  readonly played: InHour<string>;
  readonly heard: InHour<number>;
  readonly lateBeats: InHour<number>;
  readonly latePlays: InHour<string>;
  readonly isOnline: (device: number) => boolean;
}

const readSigns = async (
  reader: Pick<Reader, 'rows'>,
  wanted: ScreensWanted,
  screens: readonly ScreenAsked[],
  { nowMs, ...options }: ReadOptions & { readonly nowMs: number },
): Promise<Signs> => {
  const names = screens.map(({ screen }) => screen);
  const devices = [
    ...new Set(screens.flatMap(({ segments }) => touching(segments, wanted).map(({ deviceId }) => deviceId))),
  ].filter((id) => id !== 0);
  const inHours = async <Key>(query: Sql): Promise<InHour<Key>> => {
    const rows = await reader.rows<HoursOf<Key>>(query, options);
    const known = new Map(rows.map(({ of, hours }) => [of, new Set(hours)]));
    return (key, hour) => known.get(key)?.has(hour) === true;
  };
  const idsIn = async (query: Sql) => new Set((await reader.rows<{ id: number }>(query, options)).map(({ id }) => id));
  const [played, heard, online, offline] = await Promise.all([
    inHours<string>(playedQuery(wanted, names)),
    inHours<number>(heardQuery(wanted, devices)),
    idsIn(onlineQuery(wanted, devices, nowMs)),
    idsIn(outOfUseQuery(wanted, devices)),
  ]);
  // Mostly there are few: what came late is looked for where something was missing.
  const [lateBeats, latePlays] = await Promise.all([
    inHours<number>(lateBeatsQuery(wanted, [...offline])),
    inHours<string>(latePlaysQuery(wanted, names, [...offline])),
  ]);
  return { played, heard, lateBeats, latePlays, isOnline: (device) => online.has(device) };
};

const cellsOf = (
  { screen, toldMs, segments }: ScreenAsked,
  { from, to }: ScreensWanted,
  { played, heard, lateBeats, latePlays, isOnline }: Signs,
  nowMs: number,
): Cell[] =>
  Array.from({ length: (to - from) / hourMs }, (_, hour) => {
    const [beginMs, endMs] = [from + hour * hourMs, from + (hour + 1) * hourMs];
    const device = segmentAt(segments, beginMs)?.deviceId ?? 0;
    const isRunning = beginMs <= nowMs && nowMs < endMs;
    return cellOf({
      hasBegun: beginMs <= nowMs,
      isRegistered: device !== 0 && toldMs < endMs,
      played: played(screen, hour),
      heard: heard(device, hour) || (isRunning && isOnline(device)),
      backfilled: lateBeats(device, hour) || latePlays(screen, hour),
    });
  });

const countsOf = (cells: readonly Cell[]): Record<CellName, number> => {
  const counts = Object.fromEntries(cellLetters.map((letter) => [CELLS[letter].name, 0])) as Record<CellName, number>;
  for (const cell of cells) counts[CELLS[cell].name] += 1;
  return counts;
};

/** What every screen of a page did in each hour of a stretch. */
export const tellCompleteness = async (
  reader: Pick<Reader, 'rows'>,
  registry: Registry,
  wanted: ScreensWanted,
  options: ReadOptions & { readonly nowMs: number },
): Promise<Completeness> => {
  const found = screensAsked(registry, wanted);
  const shown = found.slice(0, wanted.limit);
  const signs = await readSigns(reader, wanted, shown, options);
  const rows = shown.map((asked) => ({ asked, cells: cellsOf(asked, wanted, signs, options.nowMs) }));
  return {
    from: instantOf(wanted.from),
    to: instantOf(wanted.to),
    hours: (wanted.to - wanted.from) / hourMs,
    screens: rows.map(({ asked: { screen, last }, cells }) => ({
      screen_id: screen,
      device_id: last.deviceId,
      site_id: last.siteId,
      ...namesOf(registry, last),
      cells: cells.join(''),
    })),
    count: shown.length,
    next_after: found.length > shown.length ? shown.at(-1)!.screen : null,
    totals: countsOf(rows.flatMap(({ cells }) => cells)),
  };
};
