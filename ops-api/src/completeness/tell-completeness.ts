import { type Cell, cellLetters, CELLS, type CellName } from '@popsvc/contracts/completeness';
import { instantOf } from '@popsvc/contracts/time';
import { completenessCell } from '@popsvc/domain/completeness';
import { type Registry, segmentAt } from '@popsvc/domain/registry';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import type { Completeness } from './completeness.schemas.ts';
import { readSigns, type Signs, type SignsOptions } from './read-signs.ts';
import { namesOf, type ScreenAsked, screensAsked, type ScreensWanted } from './screens-asked.ts';
import { hourMs } from './stretch.ts';

const cellsOf = (
  { screen, sinceMs, segments }: ScreenAsked,
  { from, to }: ScreensWanted,
  { played, heard, lateBeats, latePlays, isOnline }: Signs,
  nowMs: number,
): Cell[] =>
  Array.from({ length: (to - from) / hourMs }, (_, hour) => {
    const [beginMs, endMs] = [from + hour * hourMs, from + (hour + 1) * hourMs];
    const device = segmentAt(segments, beginMs)?.deviceId ?? 0;
    const isRunning = beginMs <= nowMs && nowMs < endMs;
    return completenessCell({
      hasBegun: beginMs <= nowMs,
      isRegistered: device !== 0 && sinceMs < endMs,
      playStarted: played(screen, hour),
      heartbeatReceived: heard(device, hour) || (isRunning && isOnline(device)),
      backfilled: lateBeats(device, hour) || latePlays(screen, hour),
    });
  });

const countsOf = (cells: readonly Cell[]): Record<CellName, number> => {
  const counts = Object.fromEntries(cellLetters.map((letter) => [CELLS[letter].name, 0])) as Record<CellName, number>;
  for (const cell of cells) counts[CELLS[cell].name] += 1;
  return counts;
};

/** What every screen of a page did in each hour of a stretch. */
export const readCompleteness = async (
  reader: Pick<ClickHouseReader, 'rows'>,
  registry: Registry,
  wanted: ScreensWanted,
  options: SignsOptions,
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
