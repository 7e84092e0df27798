import { type Cell, cellLetters, type CellName, CELLS } from '@popsvc/contracts/completeness';
import { instantOf } from '@popsvc/contracts/time';
import { isOpenDuring } from '@popsvc/domain/business-hours';
import { completenessCell, type HourObservations, isHourExpected } from '@popsvc/domain/completeness';
import {
  currentEntity,
  listScreens,
  type PlaceSegment,
  type Registry,
  screenPlaces,
  screenRegisteredFromMs,
  segmentAt,
} from '@popsvc/domain/registry';
import type { ClickHouseReader, QueryOptions, Sql } from '@popsvc/platform/clickhouse';
import { keysetPages } from '@popsvc/http-kit/server';
import {
  backfilledHeartbeatHoursQuery,
  backfilledPlayHoursQuery,
  firstSpans,
  heartbeatHoursQuery,
  hourMs,
  type HourRow,
  isFirstPlay,
  isLatePlay,
  latePlayHoursQuery,
  type LiveGenerations,
  onlineDevicesQuery,
  outageHoursQuery,
  playHoursQuery,
  receivedPlayHoursQuery,
  spansInHours,
  startedInHours,
  type TimeWindow,
} from './queries.ts';
import type { Completeness } from './schema.ts';

type HoursByScreen = Map<string, Set<number>>;

interface ScreenHours {
  readonly screens: readonly string[];
  readonly hours: readonly number[];
}

interface PlayedHoursRequest {
  readonly window: TimeWindow;
  readonly screens: readonly string[];
  /** Number of hours of the window that have begun. */
  readonly hours: number;
  readonly live: LiveGenerations;
}

const addHours = (to: HoursByScreen, rows: readonly HourRow<string>[]): void => {
  for (const { of, hours } of rows) to.set(of, new Set([...(to.get(of) ?? []), ...hours]));
};

/**
 * Plans a query for hours in which most screens have no known play, because these hours have few rows. Plans another query for the
 * other hours, because it needs only few screens.
 */
const splitUnknown = (known: HoursByScreen, { screens, hours }: PlayedHoursRequest): readonly ScreenHours[] => {
  const [mostlyUnknown, mostlyKnown] = [new Map<number, string[]>(), new Map<number, string[]>()];
  for (let hour = 0; hour < hours; hour += 1) {
    const unknown = screens.filter((screen) => known.get(screen)?.has(hour) !== true);
    if (unknown.length > 0) (unknown.length * 2 > screens.length ? mostlyUnknown : mostlyKnown).set(hour, unknown);
  }
  return [mostlyUnknown, mostlyKnown]
    .filter(({ size }) => size > 0)
    .map((each) => ({ screens: [...new Set([...each.values()].flat())], hours: [...each.keys()] }));
};

const findUnknown = (rows: readonly HourRow<string>[], known: HoursByScreen): ScreenHours => {
  const unknown = rows
    .map(({ of, hours }) => ({ of, hours: hours.filter((hour) => known.get(of)?.has(hour) !== true) }))
    .filter(({ hours }) => hours.length > 0);
  return {
    screens: [...new Set(unknown.map(({ of }) => of))],
    hours: [...new Set(unknown.flatMap(({ hours }) => hours))],
  };
};

type ReadHours = (sql: Sql) => Promise<readonly HourRow<string>[]>;

/**
 * Deduplicating rows of `coffee` is by far the most expensive part. The search therefore finds plays in `playSpans`, and
 * deduplicates only the rows of the earliest play of each screen and hour.
 */
const readPlayedHours = async (
  query: ReadHours,
  wanted: PlayedHoursRequest,
): Promise<ReadonlyMap<string, ReadonlySet<number>>> => {
  const { window, screens, live } = wanted;
  const known: HoursByScreen = new Map();
  const addPlayed = async (of: readonly string[], which: Sql) =>
    addHours(known, await query(playHoursQuery(window, of, which)));
  await addPlayed(screens, isFirstPlay(window, { screens, spans: firstSpans(window) }, live));
  const received = await Promise.all(
    splitUnknown(known, wanted).map(({ screens: of, hours }) =>
      query(receivedPlayHoursQuery(window, { screens: of, spans: spansInHours(window, hours) }, live)),
    ),
  );
  const later = findUnknown(received.flat(), known);
  if (later.screens.length === 0) return known;
  const spans = spansInHours(window, later.hours);
  await addPlayed(later.screens, isFirstPlay(window, { screens: later.screens, spans }, live));
  const hidden = findUnknown(received.flat(), known);
  if (hidden.screens.length > 0) await addPlayed(hidden.screens, startedInHours(window, hidden.hours));
  return known;
};

interface LatePlaysRequest extends Pick<PlayedHoursRequest, 'window' | 'live'> {
  readonly devicesOf: ReadonlyMap<string, readonly number[]>;
  readonly hours: readonly number[];
}

/** Deduplicates all late plays of an hour only if its last late play is not backfilled. */
const readLatePlayHours = async (
  query: ReadHours,
  { window, live, devicesOf, hours }: LatePlaysRequest,
): Promise<ReadonlyMap<string, ReadonlySet<number>>> => {
  const known: HoursByScreen = new Map();
  const readOf = (wanted: ScreenHours) => {
    const pairs = wanted.screens.flatMap((screen) =>
      (devicesOf.get(screen) ?? []).map((device) => [screen, device] as const),
    );
    return {
      screens: pairs.map(([screen]) => screen),
      devices: pairs.map(([, device]) => device),
      spans: spansInHours(window, wanted.hours),
    };
  };
  if (devicesOf.size === 0) return known;
  const late = await query(latePlayHoursQuery(window, readOf({ screens: [...devicesOf.keys()], hours }), live));
  for (const which of ['last', 'all'] as const) {
    const unknown = findUnknown(late, known);
    if (unknown.screens.length === 0) break;
    const read = readOf(unknown);
    addHours(known, await query(backfilledPlayHoursQuery(window, read, isLatePlay(window, read, { live, which }))));
  }
  return known;
};

interface ActivityOptions extends QueryOptions {
  readonly nowMs: number;
  readonly live: LiveGenerations;
}

/** `hour` is an index: 0 is the first hour of the window. */
type InHour<Key> = (key: Key, hour: number) => boolean;

interface Activity {
  readonly played: InHour<string>;
  readonly heartbeats: InHour<number>;
  readonly lateHeartbeats: InHour<number>;
  readonly latePlays: InHour<string>;
  readonly isOnline: (device: number) => boolean;
}

const readActivity = async (
  reader: Pick<ClickHouseReader, 'rows'>,
  wanted: CompletenessRequest,
  screens: readonly ListedScreen[],
  { nowMs, live, signal }: ActivityOptions,
): Promise<Activity> => {
  const options: QueryOptions = signal ? { signal } : {};
  const names = screens.map(({ screen }) => screen);
  const devices = [
    ...new Set(screens.flatMap(({ segments }) => segmentsIn(segments, wanted).map(({ deviceId }) => deviceId))),
  ].filter((id) => id !== 0);
  const inHours = async <Key>(query: Sql): Promise<InHour<Key>> => {
    const rows = await reader.rows<HourRow<Key>>(query, options);
    const known = new Map(rows.map(({ of, hours }) => [of, new Set(hours)]));
    return (key, hour) => known.get(key)?.has(hour) === true;
  };
  const idsIn = async (query: Sql) => new Set((await reader.rows<{ id: number }>(query, options)).map(({ id }) => id));
  const query: ReadHours = (hours) => reader.rows(hours, options);
  const [played, heartbeats, online, outages] = await Promise.all([
    readPlayedHours(query, {
      window: wanted,
      screens: names,
      hours: Math.min((wanted.to - wanted.from) / hourMs, Math.floor((nowMs - wanted.from) / hourMs) + 1),
      live,
    }),
    inHours<number>(heartbeatHoursQuery(wanted, devices, live)),
    idsIn(onlineDevicesQuery(wanted, devices, nowMs)),
    reader.rows<HourRow<number>>(outageHoursQuery(wanted, devices), options),
  ]);
  // Late data of devices without an outage does not change the result.
  const missed = new Set(outages.map(({ of }) => of));
  const devicesOf = new Map(
    screens.flatMap(({ screen, segments }) => {
      const own = new Set(segmentsIn(segments, wanted).map(({ deviceId }) => deviceId));
      const offline = [...own].filter((device) => missed.has(device));
      return offline.length === 0 ? [] : [[screen, offline] as const];
    }),
  );
  const [lateHeartbeats, latePlays] = await Promise.all([
    inHours<number>(backfilledHeartbeatHoursQuery(wanted, [...missed])),
    readLatePlayHours(query, {
      window: wanted,
      live,
      devicesOf,
      hours: [...new Set(outages.flatMap(({ hours }) => hours))],
    }),
  ]);
  return {
    played: (screen, hour) => played.get(screen)?.has(hour) === true,
    heartbeats,
    lateHeartbeats,
    latePlays: (screen, hour) => latePlays.get(screen)?.has(hour) === true,
    isOnline: (device) => online.has(device),
  };
};

export const screenPages = keysetPages({ screen: String.raw`[\s\S]{1,1000}` });

interface CompletenessRequest extends TimeWindow {
  readonly siteIds?: readonly number[] | undefined;
  readonly after?: { readonly screen: string } | undefined;
  readonly limit: number;
}

interface ListedScreen {
  readonly screen: string;
  /** The result of `screenRegisteredFromMs`. */
  readonly sinceMs: number;
  readonly segments: readonly PlaceSegment[];
  readonly last: PlaceSegment;
}

const segmentsIn = (segments: readonly PlaceSegment[], { from, to }: Pick<TimeWindow, 'from' | 'to'>) =>
  segments.filter(({ validFromMs }, index) => {
    const endMs = segments[index + 1]?.validFromMs ?? Infinity;
    return (index === 0 || validFromMs < to) && endMs > from;
  });

/** Computes placements only of screens that the search reaches, because a page may not need the whole network. */
const findScreens = (registry: Registry, wanted: CompletenessRequest): ListedScreen[] => {
  const { network, siteIds, after = { screen: '' }, limit } = wanted;
  const found: ListedScreen[] = [];
  for (const screen of listScreens(registry, network)) {
    if (screen <= after.screen) continue;
    const segments = screenPlaces(registry, network, [screen]).get(screen) ?? [];
    const last = segmentsIn(segments, wanted).findLast(({ known }) => known);
    if (!last || siteIds?.includes(last.siteId) === false) continue;
    found.push({ screen, sinceMs: screenRegisteredFromMs(registry, network, screen), segments, last });
    if (found.length > limit) break;
  }
  return found;
};

const placeNames = (registry: Registry, { deviceId, siteId }: PlaceSegment) => ({
  device_name: currentEntity(registry, 'devices', String(deviceId))?.name ?? '',
  site_name: currentEntity(registry, 'sites', String(siteId))?.name ?? '',
});

type IsOpenInHour = (place: PlaceSegment, beginMs: number) => boolean;

/** Caches results by opening hours and time zone, because many sites share these. */
const createOpenHourCheck = (): IsOpenInHour => {
  const known = new Map<string, Map<number, boolean>>();
  return ({ opens, closes, siteTz }, beginMs) => {
    const key = `${siteTz} ${opens.join()} ${closes.join()}`;
    const hours = known.get(key) ?? new Map<number, boolean>();
    known.set(key, hours);
    const isOpen = hours.get(beginMs) ?? isOpenDuring({ opens, closes }, { fromMs: beginMs, minutes: 60 }, siteTz);
    hours.set(beginMs, isOpen);
    return isOpen;
  };
};

const observationsOf = (
  { screen, sinceMs, segments }: ListedScreen,
  { from, to }: CompletenessRequest,
  { played, heartbeats, lateHeartbeats, latePlays, isOnline }: Activity,
  { nowMs, isOpenInHour }: { readonly nowMs: number; readonly isOpenInHour: IsOpenInHour },
): readonly HourObservations[] =>
  Array.from({ length: (to - from) / hourMs }, (_, hour) => {
    const [beginMs, endMs] = [from + hour * hourMs, from + (hour + 1) * hourMs];
    const place = segmentAt(segments, beginMs);
    const device = place?.deviceId ?? 0;
    const isRunning = beginMs <= nowMs && nowMs < endMs;
    return {
      hasBegun: beginMs <= nowMs,
      isRegistered: device !== 0 && sinceMs < endMs,
      isOpen: place !== undefined && isOpenInHour(place, beginMs),
      playStarted: played(screen, hour),
      heartbeatReceived: heartbeats(device, hour) || (isRunning && isOnline(device)),
      backfilled: lateHeartbeats(device, hour) || latePlays(screen, hour),
    };
  });

interface ScreenSummary {
  readonly cells: readonly Cell[];
  readonly expected: number;
  readonly played: number;
  readonly otherPlayed: number;
}

const summarize = (observations: readonly HourObservations[]): ScreenSummary => {
  const withPlays = observations.filter(({ hasBegun, playStarted }) => hasBegun && playStarted);
  const played = withPlays.filter(isHourExpected).length;
  return {
    cells: observations.map(completenessCell),
    expected: observations.filter(isHourExpected).length,
    played,
    otherPlayed: withPlays.length - played,
  };
};

const countsOf = (cells: readonly Cell[]): Record<CellName, number> => {
  const counts = Object.fromEntries(cellLetters.map((letter) => [CELLS[letter].name, 0])) as Record<CellName, number>;
  for (const cell of cells) counts[CELLS[cell].name] += 1;
  return counts;
};

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

export const readCompleteness = async (
  reader: Pick<ClickHouseReader, 'rows'>,
  registry: Registry,
  wanted: CompletenessRequest,
  options: ActivityOptions,
): Promise<Completeness> => {
  const { rows: shown, next } = screenPages.cutPage(findScreens(registry, wanted), wanted.limit);
  const activity = await readActivity(reader, wanted, shown, options);
  const context = { nowMs: options.nowMs, isOpenInHour: createOpenHourCheck() };
  const rows = shown.map((listed) => ({
    listed,
    ...summarize(observationsOf(listed, wanted, activity, context)),
  }));
  return {
    from: instantOf(wanted.from),
    to: instantOf(wanted.to),
    hours: (wanted.to - wanted.from) / hourMs,
    screens: rows.map(({ listed: { screen, last }, cells, expected, played, otherPlayed }) => ({
      screen_id: screen,
      device_id: last.deviceId,
      site_id: last.siteId,
      ...placeNames(registry, last),
      cells: cells.join(''),
      expected_hours: expected,
      played_hours: played,
      other_played_hours: otherPlayed,
    })),
    count: shown.length,
    next_after: next,
    totals: countsOf(rows.flatMap(({ cells }) => cells)),
    expected_hours: sumOf(rows.map(({ expected }) => expected)),
    played_hours: sumOf(rows.map(({ played }) => played)),
    other_played_hours: sumOf(rows.map(({ otherPlayed }) => otherPlayed)),
  };
};
