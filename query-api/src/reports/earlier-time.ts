import { ApiError } from '@popsvc/contracts/errors';
import { instantOf } from '@popsvc/contracts/time';
import {
  bind,
  type ClickHouseReader,
  fewRows,
  instantSql,
  isTableMissing,
  joinWithCommas,
  type QueryOptions,
  type Sql,
  sql,
  sqlText,
  tableName,
} from '@popsvc/platform/clickhouse';
import type { Dataset } from '@popsvc/read-models/datasets';
import { reportHistory } from '@popsvc/read-models/tables';
import { dataAsOfMs, type GenerationProgress } from '../generations/live-generations.ts';
import { rowsOfNetwork } from '../scope/network-rows.ts';

/** A report with everything received up to `asOfMs`, ms since 1970. */
export interface EarlierTime {
  readonly asOfMs: number;
  /** The generation that was live at `asOfMs` or, if that one lacks rows of this time, an earlier one. */
  readonly generation: number;
}

interface HistoryRow {
  readonly kind: 'live' | 'whole';
  readonly generation: number;
  readonly since_ms: number;
}

const historyQuery = ({ name }: Dataset): Sql => sql`
SELECT kind, generation, toFloat64(toUnixTimestamp64Milli(since)) AS since_ms
FROM ${tableName(reportHistory, 1)} WHERE projection = ${bind('String', name)} ORDER BY since_ms DESC ${fewRows}`;

const dayMs = 86_400_000;

const gone = (sinceMs: number): ApiError => {
  const message = `must not be before ${instantOf(sinceMs)}: earlier reports are no longer kept`;
  return new ApiError('HISTORY_GONE', `as_of ${message}.`, { details: [{ path: 'as_of', message }] });
};

const tooLate = (newestMs: number): ApiError => {
  const message = `must not be after ${instantOf(newestMs)}, up to which the report is complete`;
  return new ApiError('INVALID_PARAM', `as_of ${message}.`, { details: [{ path: 'as_of', message }] });
};

export interface EarlierTimeOptions {
  readonly progress: GenerationProgress | undefined;
  /** Number of days for which rows are kept after they are replaced or deleted. */
  readonly historyDays: number;
  readonly nowMs: number;
}

/**
 * Throws INVALID_PARAM if the report is not complete up to `asOfMs`, HISTORY_GONE if no generation has all its rows, and UNAVAILABLE
 * without progress.
 */
const findEarlierTime = async (
  reader: Pick<ClickHouseReader, 'rows'>,
  { dataset, network, asOfMs }: { readonly dataset: Dataset; readonly network: number; readonly asOfMs: number },
  { progress, historyDays, nowMs }: EarlierTimeOptions,
  options: QueryOptions,
): Promise<EarlierTime> => {
  if (!progress) throw new ApiError('UNAVAILABLE', 'The progress of the report is unknown. Retry later.');
  const newestMs = dataAsOfMs(progress, [network]);
  if (asOfMs > newestMs) throw tooLate(newestMs);
  const rows = await reader.rows<HistoryRow>(historyQuery(dataset), options);
  const keptSinceMs = nowMs - historyDays * dayMs;
  const wholeSinceMs = (wanted: number) =>
    Math.max(
      keptSinceMs,
      ...rows.flatMap(({ kind, generation, since_ms }) => (kind === 'whole' && generation === wanted ? since_ms : [])),
    );
  const live = rows.filter(({ kind }) => kind === 'live');
  // Newest first. If the generation that was live at `asOfMs` lacks rows, an earlier one may have them.
  const found = live.find(({ since_ms, generation }) => since_ms <= asOfMs && wholeSinceMs(generation) <= asOfMs);
  if (!found)
    throw gone(Math.min(nowMs, ...live.map((each) => Math.max(each.since_ms, wholeSinceMs(each.generation)))));
  return { asOfMs, generation: found.generation };
};

/**
 * Undefined `asOfMs` reads the report as it is now. Throws the errors of `findEarlierTime`, and HISTORY_GONE if the tables of a former
 * generation were dropped.
 */
export const readAtTime = async <T>(
  reader: Pick<ClickHouseReader, 'rows'>,
  { asOfMs, ...report }: { readonly dataset: Dataset; readonly network: number; readonly asOfMs: number | undefined },
  time: EarlierTimeOptions,
  options: QueryOptions,
  read: (at: EarlierTime | undefined) => Promise<T>,
): Promise<T> => {
  if (asOfMs === undefined) return read(undefined);
  const at = await findEarlierTime(reader, { ...report, asOfMs }, time, options);
  try {
    return await read(at);
  } catch (error) {
    if (at.generation === time.progress?.generation || !isTableMissing(error)) throw error;
    throw gone(time.nowMs);
  }
};

export interface RowsAt {
  readonly dataset: Dataset;
  readonly at: EarlierTime;
  readonly network: number;
  readonly isWithin: Sql;
  readonly conditions: readonly (Sql | undefined)[];
}

/**
 * While a row is being replaced, both tables may contain it, so it counts only as current. Of several versions of a former row, the newest
 * counts.
 */
export const rowsAt = ({
  dataset,
  at,
  network,
  isWithin,
  conditions,
}: RowsAt): readonly [current: Sql, former: Sql] => {
  const { table, history } = dataset;
  const names = [...Object.keys(history.fields), ...Object.keys(table.materialized ?? {})];
  const columns = joinWithCommas(names.map(sqlText));
  const then = instantSql(at.asOfMs);
  const isCurrent = sql`valid_from <= ${then}`;
  const isFormer = sql`valid_from <= ${then} AND valid_to > ${then}`;
  const current = sql`${tableName(table, at.generation)} FINAL`;
  const formerRows = rowsOfNetwork(history, network, [isWithin, isFormer], tableName(history, at.generation));
  const replaced = rowsOfNetwork(
    table,
    network,
    [isWithin, isCurrent, sql`(ts, number) IN (SELECT ts, number FROM ${formerRows})`],
    current,
  );
  const former = sql`(SELECT ${columns} FROM ${formerRows} ORDER BY version DESC LIMIT 1 BY ts, number)`;
  return [
    rowsOfNetwork(table, network, [isWithin, isCurrent, ...conditions], current),
    rowsOfNetwork(
      history,
      network,
      [...conditions, sql`(ts, number) NOT IN (SELECT ts, number FROM ${replaced})`],
      former,
    ),
  ];
};
