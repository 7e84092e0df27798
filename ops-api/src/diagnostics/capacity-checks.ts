import { statfs } from 'node:fs/promises';
import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import type { CheckedShard, DiagnosticsDependencies, Need } from './dependencies.ts';

/** Shares of free disk space: below `warningFreeShare` the check warns, below `failureFreeShare` it fails. */
const warningFreeShare = 0.15;
const failureFreeShare = 0.05;

interface Disk {
  readonly name: string;
  /** Free space in bytes. */
  readonly free: number;
  readonly size: number;
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;

const judgeDisk = ({ name, free, size }: Disk): Finding => {
  const subject = name;
  // Some file systems, such as network file systems, report a size of 0.
  if (size === 0) return reportOk('disk', { subject, found: 'free space is not reported' });
  const share = free / size;
  const found = `${gigabytes(free)} of ${gigabytes(size)} free (${Math.round(share * 100)} %)`;
  if (share < failureFreeShare) return reportProblem('disk', 'full', { subject, found });
  if (share < warningFreeShare) return reportProblem('disk', 'low', { subject, found });
  return reportOk('disk', { subject, found });
};

const checkFolder = async (folder: string): Promise<Finding> => {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return judgeDisk({ name: `of ${folder}`, free: bavail * bsize, size: blocks * bsize });
  } catch (error) {
    return reportProblem('disk', 'unreadable', { subject: `of ${folder}`, found: (error as Error).message });
  }
};

const disksSql = 'SELECT name, toFloat64(unreserved_space) AS free, toFloat64(total_space) AS size FROM system.disks';
const sizeSql = 'SELECT pg_database_size(current_database())::float8 AS bytes';

/** Checks the free space on the disks of a server of ClickHouse. */
export const checkClickHouseDisks = async ({ writer }: CheckedShard): Promise<readonly Finding[]> =>
  (await writer.rows<Disk>(disksSql, { timeoutMs: 3_000 })).map((disk) =>
    judgeDisk({ ...disk, name: `${disk.name} of clickhouse` }),
  );

/** Checks the free space on the disks that this process can see. For PostgreSQL, only reports the size of the database. */
export const checkDisks = async (
  { postgres, folders }: Pick<DiagnosticsDependencies, 'postgres' | 'folders'>,
  down: ReadonlySet<Need>,
): Promise<readonly Finding[]> => {
  const database = down.has('postgresql') ? undefined : (await postgres.query<{ bytes: number }>(sizeSql)).rows[0];
  return [
    ...(await Promise.all(folders.map(checkFolder))),
    ...(database
      ? [
          reportOk('disk', {
            subject: 'of postgresql',
            found: `the database has ${gigabytes(database.bytes)}; PostgreSQL does not report the free space`,
          }),
        ]
      : []),
  ];
};

/**
 * Limits for the number of parts in a partition. More than `warningParts` parts mean that merges have fallen behind. At 3,000
 * parts, ClickHouse by default rejects inserts; `failureParts` leaves time to act before that.
 */
const warningParts = 300;
const failureParts = 1_500;

const partsSql = `
  SELECT table, toFloat64(count()) AS parts FROM system.parts WHERE active AND database = currentDatabase()
  GROUP BY table, partition_id ORDER BY parts DESC LIMIT 1`;

/** Checks the number of parts in the ClickHouse partition with the most parts. */
export const checkParts = async ({ writer }: CheckedShard): Promise<readonly Finding[]> => {
  const [largest] = await writer.rows<{ table: string; parts: number }>(partsSql, { timeoutMs: 3_000 });
  if (!largest) return [reportOk('clickhouse-parts', { found: 'no table has rows' })];
  const { table, parts } = largest;
  const found = `${table} has ${parts} parts in one partition`;
  if (parts > failureParts) return [reportProblem('clickhouse-parts', 'excessive', { found })];
  if (parts > warningParts) return [reportProblem('clickhouse-parts', 'many', { found })];
  return [reportOk('clickhouse-parts', { found: `${found}, the most of all tables` })];
};

/** Checks that ClickHouse accepts the settings that every write uses. */
export const checkSettings = async ({ writer }: CheckedShard): Promise<readonly Finding[]> => {
  try {
    await writer.assertSettings();
    return [reportOk('clickhouse-settings', { found: 'the server accepts the settings of every write' })];
  } catch (error) {
    return [reportProblem('clickhouse-settings', 'rejected', { found: (error as Error).message })];
  }
};
