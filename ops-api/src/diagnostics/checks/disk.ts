import { statfs } from 'node:fs/promises';
import { createCheck, failed, type Finding, warning } from '@popsvc/contracts/diagnostics';
import type { ServiceEvaluation, ShardEvaluation } from '../dependencies.ts';
import { readServers } from '../shards.ts';

const warningFreeShare = 0.15;
const failureFreeShare = 0.05;

const advice =
  'Make space (guide for operators, When the disk is full) or enlarge the disk. The log grows permanently; kept generations are dropped automatically.';

const check = createCheck('disk', 'Each disk has free space.', {
  full: failed(advice, { begins: `less than ${failureFreeShare * 100} % free` }),
  low: warning(advice, { threshold: warningFreeShare, begins: `less than ${warningFreeShare * 100} % free` }),
  unreadable: failed('DATA_DIR must be a folder that the projectors can read.'),
});

interface Disk {
  readonly name: string;
  readonly free: number;
  readonly size: number;
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;

const judgeDisk = ({ name, free, size }: Disk): Finding => {
  const subject = name;
  // Some file systems, such as network file systems, report a size of 0.
  if (size === 0) return check.ok({ subject, found: 'free space is not reported' });
  const share = free / size;
  const found = `${gigabytes(free)} of ${gigabytes(size)} free (${Math.round(share * 100)} %)`;
  if (share < failureFreeShare) return check.problem('full', { subject, found });
  if (share < warningFreeShare) return check.problem('low', { subject, found });
  return check.ok({ subject, found });
};

/** In bytes. `free` is what programs without privileges may use. */
export const readFolderDisk = async (folder: string): Promise<Pick<Disk, 'free' | 'size'>> => {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
};

const checkFolder = async (folder: string): Promise<Finding> => {
  try {
    return judgeDisk({ name: `of ${folder}`, ...(await readFolderDisk(folder)) });
  } catch (error) {
    return check.problem('unreadable', { subject: `of ${folder}`, found: (error as Error).message });
  }
};

const disksSql = 'SELECT name, toFloat64(unreserved_space) AS free, toFloat64(total_space) AS size FROM system.disks';
const sizeSql = 'SELECT pg_database_size(current_database())::float8 AS bytes';

export const clickHouseDisks: ShardEvaluation = {
  check,
  scope: 'each shard',
  needs: ['clickhouse'],
  async evaluate({ writer }) {
    const servers = await readServers(writer, (server) => server.rows<Disk>(disksSql, { timeoutMs: 3_000 }));
    return servers.flatMap(({ place, value: found }) =>
      found.map((disk) => judgeDisk({ ...disk, name: `${disk.name} of clickhouse${place}` })),
    );
  },
};

export const disks: ServiceEvaluation = {
  check,
  async evaluate({ postgres, folders }, down) {
    const database = down.has('postgresql') ? undefined : (await postgres.query<{ bytes: number }>(sizeSql)).rows[0];
    return [
      ...(await Promise.all(folders.map(checkFolder))),
      ...(database
        ? [
            check.ok({
              subject: 'of postgresql',
              found: `the database has ${gigabytes(database.bytes)}; PostgreSQL does not report the free space`,
            }),
          ]
        : []),
    ];
  },
};
