import { statfs } from 'node:fs/promises';
import type { Engine } from './check.ts';
import type { DiagnosticsDependencies } from './doctor-parts.ts';
import { failed, type Finding, ok, warning } from './finding.ts';

/** Shares of a disk that are left. */
const [little, almostNothing] = [0.15, 0.05];

interface Disk {
  readonly name: string;
  readonly free: number;
  readonly size: number;
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
const advice =
  'Make room or enlarge it. The log grows for good, read models can be rebuilt; kept generations are dropped by themselves.';

const judged = ({ name, free, size }: Disk): Finding => {
  const check = `disk ${name}`;
  // Stores behind a network have no size.
  if (size === 0) return ok(check, 'how much is left is not told');
  const share = free / size;
  const text = `${gigabytes(free)} of ${gigabytes(size)} free (${Math.round(share * 100)} %)`;
  if (share < almostNothing) return failed(check, text, advice);
  return share < little ? warning(check, text, advice) : ok(check, text);
};

const ofFolder = async (folder: string): Promise<Finding> => {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return judged({ name: `of ${folder}`, free: bavail * bsize, size: blocks * bsize });
  } catch (error) {
    return failed(`disk of ${folder}`, (error as Error).message, 'DATA_DIR must be a folder this process can read.');
  }
};

const disksSql = 'SELECT name, toFloat64(unreserved_space) AS free, toFloat64(total_space) AS size FROM system.disks';
const sizeSql = 'SELECT pg_database_size(current_database())::float8 AS bytes';

/** Room on the disks that can be seen from here: PostgreSQL tells what it takes, not what is left. */
export const lookAtDisks = async (
  { writer, postgres, folders }: DiagnosticsDependencies,
  away: ReadonlySet<Engine>,
): Promise<readonly Finding[]> => {
  const ofClickHouse = away.has('clickhouse') ? [] : await writer.rows<Disk>(disksSql, { timeoutMs: 3_000 });
  const size = away.has('postgresql') ? undefined : (await postgres.query<{ bytes: number }>(sizeSql)).rows[0];
  return [
    ...(await Promise.all(folders.map(ofFolder))),
    ...ofClickHouse.map((disk) => judged({ ...disk, name: `${disk.name} of clickhouse` })),
    ...(size
      ? [
          ok(
            'disk of postgresql',
            `the database takes ${gigabytes(size.bytes)}; how much is left its server does not tell`,
          ),
        ]
      : []),
  ];
};
