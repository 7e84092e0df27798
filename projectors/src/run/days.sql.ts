import { generationTable } from '@popsvc/contracts/tables';
import type { Change } from '../places/place-watch.ts';
import type { Range, Steps } from './projection.ts';
import type { Recipe } from './recipe.ts';

const dayMs = 86_400_000;
/** Year 2262: past it a DateTime64 of milliseconds is of no use to anyone. */
const endOfTimeMs = 9_214_646_400_000;

interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The UTC days of a change that hold rows, each cut to the change: a set computed inside ClickHouse stays a day's size. */
export const daysOf = async (
  steps: Steps,
  { table, stale }: Recipe,
  { upTo }: Range,
  change: Change,
): Promise<Window[]> => {
  const { generation } = steps;
  const which = stale?.[change.reason]?.(generation) ?? '1';
  const [fromMs, toMs] = [Math.max(0, change.fromMs), Math.min(endOfTimeMs, change.toMs)];
  const days = await steps.rows<{ day: number }>(
    `SELECT DISTINCT toUInt32(intDiv(toUnixTimestamp64Milli(ts), ${dayMs})) AS day FROM ${generationTable(table, generation)}
     WHERE network_id = {network:UInt64}
     AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')
     AND (${which})
     ORDER BY day`,
    { network: change.network, fromMs, toMs, upTo: upTo.toString() },
  );
  return days.map(({ day }) => ({
    fromMs: Math.max(fromMs, day * dayMs),
    toMs: Math.min(toMs, (day + 1) * dayMs),
  }));
};
