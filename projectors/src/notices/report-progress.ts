import { FINAL_REPORTS, type FinalReport } from '@popsvc/contracts/webhooks';
import { bind, type ClickHouseReader, liveViewName, sql } from '@popsvc/platform/clickhouse';
import { includesNetwork, type PendingNetworks, pendingView, progressView } from '@popsvc/read-models/tables';

export interface ReportProgress {
  readonly generation: number;
  readonly tablesId: string;
  /** Log position up to which the rows of all events can be read, except those of `pending` networks. */
  readonly position: bigint;
  /** When the newest event up to `position` was appended, in ms since 1970. */
  readonly asOfMs: number;
  readonly pending: readonly (PendingNetworks & { readonly asOfMs: number })[];
}

export type ProgressOfReports = ReadonlyMap<FinalReport, ReportProgress>;

interface ProgressRow {
  readonly projection: FinalReport;
  readonly generation: number;
  readonly tables_id: string;
  readonly position: string;
  readonly as_of_ms: number;
}

interface PendingRow extends Omit<PendingNetworks, 'lastNetwork'> {
  readonly projection: FinalReport;
  readonly last_network: number;
  readonly as_of_ms: number;
}

const progressSql = sql`
SELECT projection, generation, tables_id, toString(pos) AS position, toUnixTimestamp64Milli(as_of) AS as_of_ms
FROM ${liveViewName(progressView)} WHERE projection IN ${bind('Array(String)', FINAL_REPORTS)}`;

const pendingSql = sql`
SELECT projection, toFloat64(network_id) AS network, toFloat64(last_network) AS last_network, partitions, shards,
  toUnixTimestamp64Milli(as_of) AS as_of_ms
FROM ${liveViewName(pendingView)} WHERE projection IN ${bind('Array(String)', FINAL_REPORTS)}`;

/** A report without projected events has no entry. */
export const readReportProgress = async (reader: ClickHouseReader): Promise<ProgressOfReports> => {
  const rows = await reader.rows<ProgressRow>(progressSql);
  // Read after the progress, which could include a batch whose put-off ranges are missing in an earlier read.
  const pending = await reader.rows<PendingRow>(pendingSql);
  return new Map(
    rows.map(({ projection, generation, tables_id: tablesId, position, as_of_ms: asOfMs }) => [
      projection,
      {
        generation,
        tablesId,
        position: BigInt(position),
        asOfMs,
        pending: pending.flatMap(({ projection: of, last_network: lastNetwork, as_of_ms, ...networks }) =>
          of === projection ? [{ ...networks, lastNetwork, asOfMs: as_of_ms }] : [],
        ),
      },
    ]),
  );
};

export const isPending = ({ pending }: ReportProgress, network: number): boolean =>
  pending.some((each) => includesNetwork(each, network));

/** In ms since 1970; undefined if one of the reports has no progress. */
export const watermarkOf = (progress: ProgressOfReports, network: number): number | undefined => {
  const times = FINAL_REPORTS.flatMap((report) => {
    const found = progress.get(report);
    if (!found) return [];
    const pending = found.pending.filter((each) => includesNetwork(each, network)).map(({ asOfMs }) => asOfMs);
    return [Math.min(found.asOfMs, ...pending)];
  });
  return times.length === FINAL_REPORTS.length ? Math.min(...times) : undefined;
};
