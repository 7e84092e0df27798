import { noticeStream, versionAfter } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { FINAL_REPORTS, type FinalReport } from '@popsvc/contracts/webhooks';
import { type DaysOfNetwork, listNewFinalDays, type NewNotice } from '@popsvc/domain/notices';
import { shardOwnsNetwork } from '@popsvc/domain/partitioning';
import type { Registry } from '@popsvc/domain/registry';
import {
  bind,
  type ClickHouseReader,
  instantSql,
  type ShardReader,
  sql,
  Sql,
  tableName,
} from '@popsvc/platform/clickhouse';
import { lowestPosition } from '@popsvc/platform/event-store';
import {
  addReportDayHashes,
  type Postgres,
  readReportDayChecks,
  type ReportDayCheck,
  readReportDayHashes,
  type ReportDayHash,
  saveReportDayCheck,
} from '@popsvc/platform/postgres';
import { coffee, watcherSummary } from '@popsvc/read-models/tables';
import { fingerprintSql, type Fingerprint } from '../engine/replay/compare.ts';
import type { NoticeLog } from './notice-log.ts';
import {
  isPending,
  type ProgressOfReports,
  readReportProgress,
  type ReportProgress,
  watermarkOf,
} from './report-progress.ts';

const [hourMs, dayMs] = [3_600_000, 86_400_000];
const tables = { coffee, 'watcher-summary': watcherSummary } as const satisfies Record<FinalReport, object>;

const dayIndex = (day: string): number => Date.parse(`${day}T00:00:00.000Z`) / dayMs;
const toDay = (index: number): string => instantOf(index * dayMs).slice(0, 10);

interface ReportedNetwork extends Omit<DaysOfNetwork, 'last'> {
  readonly id: number;
}

/** Includes retired networks, whose last days become final, and may change, after their retirement. */
const listNetworks = ({ entries }: Registry): readonly ReportedNetwork[] =>
  [...entries.networks.values()].map(({ first, latest }) => ({
    id: latest.entity.id,
    registeredMs: first.recordedMs,
    retiredMs: latest.retired ? latest.recordedMs : undefined,
  }));

export interface ReportDaysDependencies {
  readonly postgres: Postgres;
  readonly noticeLog: NoticeLog;
  readonly finalHours: number;
}

const readHashes = async (
  reader: ClickHouseReader,
  report: FinalReport,
  generation: number,
  network: number,
  days: readonly string[],
): Promise<readonly ReportDayHash[]> => {
  const table = tables[report];
  const hashes: ReportDayHash[] = [];
  for (const day of days) {
    const [fromMs, toMs] = [dayIndex(day) * dayMs, (dayIndex(day) + 1) * dayMs];
    const where = `network_id = ${network} AND ts >= fromUnixTimestamp64Milli(${fromMs}, 'UTC') AND ts < fromUnixTimestamp64Milli(${toMs}, 'UTC')`;
    const text = fingerprintSql(table, `${table.name}_g${generation}`, where);
    const scope = new Map([[table.name, [{ network, fromMs, toMs }]]]);
    const [found] = await reader.rows<Fingerprint>(new Sql([text], [], scope));
    hashes.push({ network, day, hash: found ? `${found.rows} ${found.hash}` : '0' });
  }
  return hashes;
};

const readLastFinalDay = async (noticeLog: NoticeLog, network: number): Promise<string | undefined> =>
  [...(await noticeLog.readKeys(noticeStream(network, 'report_day.final')))].at(-1);

const issueFinalDays = async (
  { noticeLog, postgres, finalHours }: ReportDaysDependencies,
  reader: ClickHouseReader,
  progress: ProgressOfReports,
  { id, ...network }: ReportedNetwork,
  nowMs: number,
): Promise<void> => {
  const asOfMs = watermarkOf(progress, id);
  if (asOfMs === undefined) return;
  const last = await readLastFinalDay(noticeLog, id);
  const days = listNewFinalDays({ asOfMs, finalHours }, { last, ...network });
  if (days.length === 0) return;
  for (const report of FINAL_REPORTS) {
    const { generation, position, tablesId } = progress.get(report)!;
    if (last === undefined)
      await saveReportDayCheck(postgres, report, { network: id, position, tablesId, waitingDays: [] }, []);
    await addReportDayHashes(postgres, report, await readHashes(reader, report, generation, id, days));
  }
  await noticeLog.issue(
    days.map((day): NewNotice => ({
      notice: { type: 'report_day.final', timestamp: instantOf(nowMs), data: { network_id: id, day } },
      key: day,
    })),
  );
};

/** Stores a hash of each final day's rows, so that later changes are found. */
export const reportFinalDays = async (
  dependencies: ReportDaysDependencies,
  { shard, reader }: ShardReader,
  registry: Registry,
  nowMs: number,
): Promise<void> => {
  const progress = await readReportProgress(reader);
  for (const network of listNetworks(registry))
    if (shardOwnsNetwork(shard, network.id)) await issueFinalDays(dependencies, reader, progress, network, nowMs);
};

interface ChangedDay {
  readonly network: number;
  readonly day: number;
  /** Highest version of the rows, in decimal digits. */
  readonly newest: string;
}

/** Reads only parts that ClickHouse wrote since `writtenSinceMs`. */
const changedDaysQuery = (
  report: FinalReport,
  generation: number,
  position: bigint,
  {
    networks,
    untilMs,
    writtenSinceMs,
  }: { readonly networks: readonly number[]; readonly untilMs: number; readonly writtenSinceMs: number },
): Sql => {
  const physical = `${tables[report].name}_g${generation}`;
  return sql`
SELECT toFloat64(network_id) AS network, toFloat64(intDiv(toUnixTimestamp64Milli(ts), ${bind('Int64', dayMs)})) AS day,
  toString(max(version)) AS newest
FROM ${tableName(tables[report], generation)}
WHERE network_id IN ${bind('Array(UInt64)', networks)}
  AND version >= ${bind('UInt64', versionAfter(position).toString())} AND ts < ${instantSql(untilMs)}
  AND _part IN (SELECT name FROM system.parts WHERE database = currentDatabase() AND table = ${bind('String', physical)}
    AND active AND toUnixTimestamp(modification_time) >= ${bind('Int64', Math.floor(writtenSinceMs / 1_000))})
GROUP BY network, day`;
};

interface Comparison {
  readonly network: number;
  readonly days: readonly string[];
  readonly hashes: readonly ReportDayHash[];
}

/** Contains the hour, so a day has at most one notice in each hour of the clock. */
const restatedKey = (day: string, nowMs: number): string => `${day} ${instantOf(Math.floor(nowMs / hourMs) * hourMs)}`;

const compareDays = async (
  postgres: Postgres,
  reader: ClickHouseReader,
  report: FinalReport,
  { generation, tablesId }: ReportProgress,
  check: ReportDayCheck,
  candidates: readonly string[],
): Promise<Comparison> => {
  const { network } = check;
  const isReplayed = tablesId !== check.tablesId;
  if (candidates.length === 0 && !isReplayed) return { network, days: [], hashes: [] };
  const known = await readReportDayHashes(postgres, report, network);
  // A day may have no rows in the tables of a replay.
  const days = new Set([...candidates, ...(isReplayed ? known.keys() : [])]);
  const hashes = await readHashes(reader, report, generation, network, [...days].sort());
  const changed = hashes.filter(({ day, hash }) => known.get(day) !== hash);
  // A replay writes all days again. Without a stored hash, it is unknown whether a day changed.
  const restated = changed.filter(({ day }) => !isReplayed || known.has(day));
  return { network, days: restated.map(({ day }) => day), hashes: changed };
};

interface CheckedReport {
  readonly report: FinalReport;
  readonly progress: ReportProgress;
  readonly check: ReportDayCheck;
  readonly comparison: Comparison;
}

/** Parts written up to this long before the previous check are read again: clocks differ, and replicas receive parts late. */
const overlapMs = 600_000;

/** A check of a network reads only changes after the position of its last check, unless a replay has replaced the tables since. */
export const createRestatedDays = ({ postgres, noticeLog }: ReportDaysDependencies) => {
  /** When each network was last checked in all reports, in ms since 1970. */
  const checkedMs = new Map<number, number>();

  const checkReport = async (
    reader: ClickHouseReader,
    report: FinalReport,
    progress: ReportProgress,
    finalDays: ReadonlyMap<number, string>,
  ): Promise<readonly CheckedReport[]> => {
    const checks = new Map((await readReportDayChecks(postgres, report)).map((check) => [check.network, check]));
    const { position, tablesId } = progress;
    const seen = [...finalDays.keys()].flatMap((network) =>
      isPending(progress, network) ? [] : (checks.get(network) ?? []),
    );
    for (const network of finalDays.keys())
      if (!checks.has(network))
        await saveReportDayCheck(postgres, report, { network, position, tablesId, waitingDays: [] }, []);
    if (seen.length === 0) return [];
    // A replay wrote its rows before readers were switched to them, with versions that may be below the checked position.
    const isReplayed = (check: ReportDayCheck) => check.tablesId !== tablesId;
    const checkedTo = (check: ReportDayCheck) => (isReplayed(check) ? 0n : check.position);
    const checkedAtMs = (check: ReportDayCheck) => (isReplayed(check) ? 0 : (checkedMs.get(check.network) ?? 0));
    const latestDay = Math.max(...[...finalDays.values()].map(dayIndex));
    const changed = await reader.rows<ChangedDay>(
      changedDaysQuery(report, progress.generation, lowestPosition(seen.map(checkedTo)), {
        networks: seen.map(({ network }) => network),
        untilMs: (latestDay + 1) * dayMs,
        writtenSinceMs: Math.min(...seen.map(checkedAtMs)) - overlapMs,
      }),
    );
    const checked: CheckedReport[] = [];
    for (const check of seen) {
      const isCandidate = ({ network, day, newest }: ChangedDay) =>
        network === check.network &&
        toDay(day) <= finalDays.get(network)! &&
        BigInt(newest) >= versionAfter(checkedTo(check));
      const days = new Set([...changed.filter(isCandidate).map(({ day }) => toDay(day)), ...check.waitingDays]);
      const comparison = await compareDays(postgres, reader, report, progress, check, [...days]);
      checked.push({ report, progress, check, comparison });
    }
    return checked;
  };

  const issueRestated = async (checked: readonly CheckedReport[], nowMs: number) => {
    for (const network of new Set(checked.map(({ check }) => check.network))) {
      const own = checked.filter(({ check }) => check.network === network);
      const issued = await noticeLog.readKeys(noticeStream(network, 'report_day.restated'));
      const isThrottled = (day: string) => issued.has(restatedKey(day, nowMs));
      const days = [...new Set(own.flatMap(({ comparison }) => comparison.days))].sort();
      const waiting = new Set(days.filter(isThrottled));
      await noticeLog.issue(
        days
          .filter((day) => !waiting.has(day))
          .map((day): NewNotice => ({
            notice: {
              type: 'report_day.restated',
              timestamp: instantOf(nowMs),
              data: {
                network_id: network,
                day,
                reports: own.filter(({ comparison }) => comparison.days.includes(day)).map(({ report }) => report),
              },
            },
            key: restatedKey(day, nowMs),
          })),
      );
      for (const { report, progress, comparison } of own)
        await saveReportDayCheck(
          postgres,
          report,
          {
            network,
            position: progress.position,
            tablesId: progress.tablesId,
            waitingDays: comparison.days.filter((day) => waiting.has(day)),
          },
          comparison.hashes.filter(({ day }) => !waiting.has(day)),
        );
    }
  };

  return async ({ shard, reader }: ShardReader, registry: Registry, nowMs: number): Promise<void> => {
    const progress = await readReportProgress(reader);
    const finalDays = new Map<number, string>();
    for (const { id } of listNetworks(registry)) {
      const last = shardOwnsNetwork(shard, id) ? await readLastFinalDay(noticeLog, id) : undefined;
      if (last !== undefined) finalDays.set(id, last);
    }
    const checked: CheckedReport[] = [];
    for (const report of FINAL_REPORTS) {
      const found = progress.get(report);
      if (found) checked.push(...(await checkReport(reader, report, found, finalDays)));
    }
    await issueRestated(checked, nowMs);
    for (const network of finalDays.keys())
      if (![...progress.values()].some((each) => isPending(each, network))) checkedMs.set(network, nowMs);
  };
};
