import { setTimeout as sleep } from 'node:timers/promises';
import { lastSequenceAt } from '@popsvc/contracts/events';
import { type ClickHouseWriter, createTable, generationTable, hasServerErrorType } from '@popsvc/platform/clickhouse';
import type { PartList } from '@popsvc/platform/postgres';
import { damagedCause, type DerivedTable } from '../pending/pending.table.ts';
import { incompleteListWaitMs } from './generations.ts';
import { detachedSql, type FoundDamage } from './table-parts.ts';

/** From `fromMs` up to and not including `toMs`, in ms since 1970. */
interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

interface FoundLoss extends FoundDamage {
  readonly part: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The start of a part's name is its partition: year and month, or the year followed by 00. */
const partitionFormat = /^(\d{4})(\d{2})_/;

const rangeOfPartition = (part: string): TimeRange | undefined => {
  const [, year, month] = (partitionFormat.exec(part) ?? []).map(Number);
  if (year === undefined || month === undefined) return undefined;
  return month === 0
    ? { fromMs: Date.UTC(year, 0), toMs: Date.UTC(year + 1, 0) }
    : { fromMs: Date.UTC(year, month - 1), toMs: Date.UTC(year, month) };
};

/**
 * The time range of a loss is from `found`, else from the list of parts, else the whole partition. Undefined if a whole table is damaged, a
 * part cannot be dropped, or a range is unknown.
 */
export const findLosses = (
  found: readonly FoundDamage[],
  { parts }: Pick<PartList, 'parts'>,
): readonly FoundLoss[] | undefined => {
  const losses: FoundLoss[] = [];
  for (const each of found) {
    const { table, part, isDroppable } = each;
    if (part === null || !isDroppable) return undefined;
    const listed = parts.find((other) => other.table === table && other.part === part);
    const { fromMs, toMs } = each.fromMs === undefined ? (listed ?? {}) : each;
    const range = typeof fromMs === 'number' && typeof toMs === 'number' ? { fromMs, toMs } : rangeOfPartition(part);
    if (!range) return undefined;
    losses.push({ ...each, part, ...range });
  }
  return losses;
};

const joinRanges = (ranges: readonly TimeRange[]): readonly TimeRange[] => {
  const joined: TimeRange[] = [];
  for (const range of [...ranges].sort((one, other) => one.fromMs - other.fromMs)) {
    const last = joined.at(-1);
    if (last && range.fromMs <= last.toMs)
      joined[joined.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, range.toMs) };
    else joined.push(range);
  }
  return joined;
};

const dayMs = 86_400_000;

/** Readers refuse pending damaged ranges until their rows are derived again. `reached`: the highest log position of a written batch. */
export const putOffDamagedRanges = async (
  writer: ClickHouseWriter,
  { pending, facts }: DerivedTable,
  generation: number,
  { ranges, reached }: { readonly ranges: readonly TimeRange[]; readonly reached: bigint },
): Promise<void> => {
  const table = generationTable(pending, generation);
  await writer.run(createTable(pending, generation, writer));
  const started = `toUnixTimestamp64Milli(${facts.startedAt})`;
  for (const { fromMs, toMs } of joinRanges(ranges))
    await writer.run(
      `INSERT INTO ${table} (network_id, screen_id, from_at, to_at, cause, pos, as_of, slices, next_slice, written_at, version, is_deleted)
       SELECT network_id, '', fromUnixTimestamp64Milli(greatest(day * ${dayMs}, {fromMs:Int64}), 'UTC'),
         fromUnixTimestamp64Milli(least((day + 1) * ${dayMs}, {toMs:Int64}), 'UTC'), {cause:String}, {reached:UInt64},
         fromUnixTimestamp64Milli(toInt64(0), 'UTC'), 1, 0, now64(3),
         greatest(2 * {reached:UInt64} + 1, (SELECT max(version) FROM ${table})), 0
       FROM (SELECT DISTINCT network_id, intDiv(${started}, ${dayMs}) AS day FROM ${generationTable(facts.table, generation)}
         WHERE ${started} >= {fromMs:Int64} AND ${started} < {toMs:Int64})`,
      { params: { fromMs, toMs, reached: lastSequenceAt(reached).toString(), cause: damagedCause } },
    );
};

/** Waits before it drops active parts, until all readers refuse their time ranges. */
export const dropDamagedParts = async (
  writer: ClickHouseWriter,
  table: string,
  names: readonly string[],
): Promise<void> => {
  const params = { tables: [table], table, names };
  const active = await writer.rows<{ name: string }>(
    `SELECT name FROM system.parts
     WHERE active AND database = currentDatabase() AND table = {table:String} AND name IN {names:Array(String)}`,
    { params },
  );
  if (active.length > 0) await sleep(incompleteListWaitMs);
  for (const { name } of active)
    await writer.run(`ALTER TABLE ${table} DROP PART '${name}'`).catch((error: unknown) => {
      // The part was merged meanwhile, so ClickHouse was able to read it.
      if (!hasServerErrorType(error, ['NO_SUCH_DATA_PART'])) throw error;
    });
  const detached = await writer.rows<{ part: string; reason: string }>(detachedSql, { params });
  for (const { part, reason } of detached)
    if (names.includes(part.replace(`${reason}_`, '')))
      await writer.run(`ALTER TABLE ${table} DROP DETACHED PART '${part}' SETTINGS allow_drop_detached = 1`);
};
