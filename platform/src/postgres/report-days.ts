import type { FinalReport } from '@popsvc/contracts/webhooks';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

/** Up to `position` of the log, the rows of the network's final report days have been compared with the stored hashes of these days. */
export interface ReportDayCheck {
  readonly network: number;
  readonly position: bigint;
  /** Identifies the tables that were compared. A replay creates new tables. */
  readonly tablesId: string;
  /** Days, such as `2026-08-20`, that are compared again even if they have no newer rows. */
  readonly waitingDays: readonly string[];
}

export interface ReportDayHash {
  readonly network: number;
  readonly day: string;
  readonly hash: string;
}

export const readReportDayChecks = async (
  postgres: Queryable,
  report: FinalReport,
): Promise<readonly ReportDayCheck[]> => {
  const { rows } = await postgres.query<{ network: number; position: string; tables_id: string; days: string[] }>(
    `SELECT network_id::float8 AS network, position::text, tables_id, waiting_days::text[] AS days
     FROM report_day_checks WHERE report = $1`,
    [report],
  );
  return rows.map(({ network, position, tables_id, days }) => ({
    network,
    position: BigInt(position),
    tablesId: tables_id,
    waitingDays: days,
  }));
};

export const readReportDayHashes = async (
  postgres: Queryable,
  report: FinalReport,
  network: number,
): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await postgres.query<{ day: string; hash: string }>(
    `SELECT day::text, hash FROM report_day_hashes WHERE report = $1 AND network_id = $2`,
    [report, network],
  );
  return new Map(rows.map(({ day, hash }) => [day, hash]));
};

const saveHashes = (
  postgres: Queryable,
  report: FinalReport,
  hashes: readonly ReportDayHash[],
  onConflict: string,
): Promise<unknown> =>
  postgres.query(
    `INSERT INTO report_day_hashes (report, network_id, day, hash)
     SELECT $1, h.network, h.day, h.hash FROM jsonb_to_recordset($2::jsonb) AS h (network bigint, day date, hash text)
     ON CONFLICT (report, network_id, day) ${onConflict}`,
    [report, JSON.stringify(hashes)],
  );

export const addReportDayHashes = async (
  postgres: Queryable,
  report: FinalReport,
  hashes: readonly ReportDayHash[],
): Promise<void> => {
  await saveHashes(postgres, report, hashes, 'DO NOTHING');
};

export const saveReportDayCheck = (
  postgres: Postgres,
  report: FinalReport,
  { network, position, tablesId, waitingDays }: ReportDayCheck,
  hashes: readonly ReportDayHash[],
): Promise<void> =>
  inTransaction(postgres, async (client) => {
    await saveHashes(client, report, hashes, 'DO UPDATE SET hash = excluded.hash');
    await client.query(
      `INSERT INTO report_day_checks (report, network_id, position, tables_id, waiting_days)
       VALUES ($1, $2, $3, $4, $5::date[])
       ON CONFLICT (report, network_id) DO UPDATE
       SET position = excluded.position, tables_id = excluded.tables_id, waiting_days = excluded.waiting_days`,
      [report, network, String(position), tablesId, waitingDays],
    );
  });
