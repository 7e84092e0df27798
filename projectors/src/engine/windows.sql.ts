import { generationTable } from '@popsvc/platform/clickhouse';
import type { StaleWindow } from './recipe.ts';
import type { BatchRange, BatchSession } from './projection.ts';
import type { RecomputePlan } from './recipe.ts';

/** Year 2262: past it a DateTime64 of milliseconds is of no use to anyone. */
const endOfTimeMs = 9_214_646_400_000;

/** So many rows are computed again at a time. */
export const standardWindowRows = 200_000;

/** Stretches that hold too much are cut at hours, those of an hour at minutes, those of a minute at seconds. */
const widthsMs = [3_600_000, 60_000, 1_000];

interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Counted extends Window {
  readonly rows: number;
}

/** Neighbours together, as far as they hold no more than `most`; what is between two of them holds nothing. */
const joined = (parts: readonly Counted[], most: number): Counted[] => {
  const windows: Counted[] = [];
  for (const part of parts) {
    const last = windows.at(-1);
    if (last && last.rows + part.rows <= most)
      windows[windows.length - 1] = { fromMs: last.fromMs, toMs: part.toMs, rows: last.rows + part.rows };
    else windows.push(part);
  }
  return windows;
};

/**
 * Where a change may have made rows stale, cut by how many there are: a set computed inside ClickHouse stays of a size it has
 * memory for, however much a network plays. Stretches that hold none are left out.
 */
export const readStaleWindows = async (
  steps: BatchSession,
  { table, staleRowsSql }: RecomputePlan,
  { upTo }: BatchRange,
  { reason, network, everything, ...change }: StaleWindow,
): Promise<Window[]> => {
  const { generation, maxWindowRows: most } = steps;
  const whole: Window = { fromMs: Math.max(0, change.fromMs), toMs: Math.min(endOfTimeMs, change.toMs) };

  const counted = async ({ fromMs, toMs }: Window, widthMs: number): Promise<Counted[]> => {
    const parts = await steps.rows<{ at: string; rows: number }>(
      `SELECT toString(intDiv(toUnixTimestamp64Milli(ts), ${widthMs}) * ${widthMs}) AS at, toUInt32(count()) AS rows
       FROM ${generationTable(table, generation)}
       WHERE network_id = {network:UInt64}
       AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')
       AND (${staleRowsSql[reason](generation)})
       GROUP BY at ORDER BY toInt64(at)`,
      { network, everything: everything ? 1 : 0, fromMs, toMs, upTo: upTo.toString() },
    );
    return parts.map(({ at, rows }) => ({
      fromMs: Math.max(fromMs, Number(at)),
      toMs: Math.min(toMs, Number(at) + widthMs),
      rows,
    }));
  };

  const cut = async (window: Window, [widthMs, ...finer]: readonly number[]): Promise<Counted[]> => {
    const parts: Counted[] = [];
    for (const part of await counted(window, widthMs!))
      parts.push(...(part.rows > most && finer.length > 0 ? await cut(part, finer) : [part]));
    return parts;
  };

  return joined(await cut(whole, widthsMs), most);
};
