import type { ClickHouseReader, QueryOptions, Sql } from '@popsvc/platform/clickhouse';
import {
  heardQuery,
  lateBeatsQuery,
  latePlaysQuery,
  type LateRows,
  lateRowsQuery,
  onlineQuery,
  outOfUseQuery,
} from './completeness.query.ts';
import { playedHours } from './played-hours.ts';
import { hourMs, type HoursOf, type LiveGenerations } from './stretch.ts';
import { type ScreenAsked, type ScreensWanted, touching } from './screens-asked.ts';

export interface SignsOptions extends QueryOptions {
  readonly nowMs: number;
  readonly live: LiveGenerations;
}

/** Whether something was in an hour, by its key. */
type InHour<Key> = (key: Key, hour: number) => boolean;

/** What the read models hold of a page of screens. */
export interface Signs {
  readonly played: InHour<string>;
  readonly heard: InHour<number>;
  readonly lateBeats: InHour<number>;
  readonly latePlays: InHour<string>;
  readonly isOnline: (device: number) => boolean;
}

export const readSigns = async (
  reader: Pick<ClickHouseReader, 'rows'>,
  wanted: ScreensWanted,
  screens: readonly ScreenAsked[],
  { nowMs, live, signal }: SignsOptions,
): Promise<Signs> => {
  const options: QueryOptions = signal ? { signal } : {};
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
    playedHours((query) => reader.rows(query, options), {
      stretch: wanted,
      screens: names,
      hours: Math.min((wanted.to - wanted.from) / hourMs, Math.floor((nowMs - wanted.from) / hourMs) + 1),
      live,
    }),
    inHours<number>(heardQuery(wanted, devices, live)),
    idsIn(onlineQuery(wanted, devices, nowMs)),
    idsIn(outOfUseQuery(wanted, devices)),
  ]);
  // Mostly there are few: what came late is looked for where something was missing.
  const missed = [...offline];
  const [lateBeats, [rows]] = await Promise.all([
    inHours<number>(lateBeatsQuery(wanted, missed)),
    missed.length === 0 ? [] : reader.rows<LateRows>(lateRowsQuery(wanted, missed, live), options),
  ]);
  const latePlays = rows ? await inHours<string>(latePlaysQuery(wanted, rows, missed)) : () => false;
  return {
    played: (screen, hour) => played.get(screen)?.has(hour) === true,
    heard,
    lateBeats,
    latePlays,
    isOnline: (device) => online.has(device),
  };
};
