import { statfs } from 'node:fs/promises';
import { probeStream } from '@popsvc/contracts/events';
import type { DiagnosticsDependencies } from './dependencies.ts';
import { type Engine, failed, type Finding, ok, skipped, warning } from './findings.ts';

const clocksCheck = 'clocks';
/** Above the first offset reported ages are visibly wrong; above the second access tokens are rejected. */
const [warningOffsetMs, failureOffsetMs] = [2_000, 30_000];
const clockAdvice = 'Let all machines follow one time server (chrony, systemd-timesyncd).';

interface Offset {
  readonly whose: string;
  /** Offset of that clock from the local one; positive if ahead. */
  readonly aheadMs: number;
}

/** Estimates the offset, assuming half the round trip for the response. */
const offsetOf = async (whose: string, ask: () => Promise<number>): Promise<Offset> => {
  const startedAtMs = Date.now();
  const theirs = await ask();
  return { whose, aheadMs: Math.round(theirs - (startedAtMs + Date.now()) / 2) };
};

/** Offset of the event store's clock, from the newest probe: its time by the writer's clock and by the event store's. */
const offsetOfLog = async ({ store }: DiagnosticsDependencies): Promise<Offset | undefined> => {
  for await (const event of store.readStream(probeStream('projectors'), { direction: 'backwards', max: 1 })) {
    const { emittedAt } = event.data as { emittedAt?: string };
    const emitted = Date.parse(emittedAt ?? '');
    return Number.isFinite(emitted) ? { whose: 'event store', aheadMs: event.recordedAtMs - emitted } : undefined;
  }
  return undefined;
};

const seconds = (ms: number) => (Math.abs(ms) / 1_000).toFixed(1);
const describeOffset = ({ whose, aheadMs }: Offset) =>
  `${whose} ${seconds(aheadMs)} s ${aheadMs < 0 ? 'behind' : 'ahead'}`;

/** Compares the clocks of the stores that answer with the clock of this process. */
export const checkClocks = async (
  parts: DiagnosticsDependencies,
  away: ReadonlySet<Engine>,
): Promise<readonly Finding[]> => {
  const { writer, postgres } = parts;
  const asking: Promise<Offset | undefined>[] = [];
  if (!away.has('postgresql'))
    asking.push(
      offsetOf('postgresql', async () => {
        const { rows } = await postgres.query<{ ms: number }>(
          'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
        );
        return rows[0]!.ms;
      }),
    );
  if (!away.has('clickhouse'))
    asking.push(
      offsetOf('clickhouse', async () => {
        const [row] = await writer.rows<{ ms: string }>('SELECT toString(toUnixTimestamp64Milli(now64(3))) AS ms', {
          timeoutMs: 3_000,
        });
        return Number(row!.ms);
      }),
    );
  if (!away.has('event store')) asking.push(offsetOfLog(parts));
  const offsets = (await Promise.all(asking)).filter((offset) => offset !== undefined);
  if (offsets.length === 0) return [skipped(clocksCheck, 'not checked: no store answers')];
  const wrong = offsets.filter(({ aheadMs }) => Math.abs(aheadMs) > warningOffsetMs);
  if (wrong.length === 0)
    return [
      ok(clocksCheck, `agree within ${warningOffsetMs / 1_000} s: ${offsets.map(({ whose }) => whose).join(', ')}`),
    ];
  const text = `against this process: ${wrong.map(describeOffset).join(', ')}`;
  const isHarmful = wrong.some(({ aheadMs }) => Math.abs(aheadMs) > failureOffsetMs);
  return [(isHarmful ? failed : warning)(clocksCheck, text, clockAdvice)];
};

/** Free share of a disk below which to warn and to fail. */
const [warningShare, failureShare] = [0.15, 0.05];

interface Disk {
  readonly name: string;
  readonly free: number;
  readonly size: number;
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
const diskAdvice =
  'Make room or enlarge it. The log grows for good, read models can be rebuilt; kept generations are dropped by themselves.';

const judgeDisk = ({ name, free, size }: Disk): Finding => {
  const check = `disk ${name}`;
  // Network file systems report no size.
  if (size === 0) return ok(check, 'free space is not reported');
  const share = free / size;
  const text = `${gigabytes(free)} of ${gigabytes(size)} free (${Math.round(share * 100)} %)`;
  if (share < failureShare) return failed(check, text, diskAdvice);
  return share < warningShare ? warning(check, text, diskAdvice) : ok(check, text);
};

const checkFolder = async (folder: string): Promise<Finding> => {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return judgeDisk({ name: `of ${folder}`, free: bavail * bsize, size: blocks * bsize });
  } catch (error) {
    return failed(`disk of ${folder}`, (error as Error).message, 'DATA_DIR must be a folder this process can read.');
  }
};

const disksSql = 'SELECT name, toFloat64(unreserved_space) AS free, toFloat64(total_space) AS size FROM system.disks';
const sizeSql = 'SELECT pg_database_size(current_database())::float8 AS bytes';

/** Checks free space on the visible disks. PostgreSQL reports only the size of the database. */
export const checkDisks = async (
  { writer, postgres, folders }: DiagnosticsDependencies,
  away: ReadonlySet<Engine>,
): Promise<readonly Finding[]> => {
  const ofClickHouse = away.has('clickhouse') ? [] : await writer.rows<Disk>(disksSql, { timeoutMs: 3_000 });
  const size = away.has('postgresql') ? undefined : (await postgres.query<{ bytes: number }>(sizeSql)).rows[0];
  return [
    ...(await Promise.all(folders.map(checkFolder))),
    ...ofClickHouse.map((disk) => judgeDisk({ ...disk, name: `${disk.name} of clickhouse` })),
    ...(size
      ? [
          ok(
            'disk of postgresql',
            `the database takes ${gigabytes(size.bytes)}; PostgreSQL does not report the free space`,
          ),
        ]
      : []),
  ];
};

/** Parts per partition: above the first, merges fall behind; soon after the second, inserts are rejected. */
const [warningParts, failureParts] = [300, 1_500];

interface PartitionParts {
  readonly table: string;
  readonly parts: number;
}

const partsSql = `
  SELECT table, toFloat64(count()) AS parts FROM system.parts WHERE active AND database = currentDatabase()
  GROUP BY table, partition_id ORDER BY parts DESC LIMIT 1`;

const partsAdvice =
  'Merges do not keep up: look at CPU and disk of ClickHouse, and at mutations (system.mutations). Inserts are refused at 3,000.';

export const checkParts = async ({ writer }: Pick<DiagnosticsDependencies, 'writer'>): Promise<readonly Finding[]> => {
  const check = 'parts of clickhouse';
  const [worst] = await writer.rows<PartitionParts>(partsSql, { timeoutMs: 3_000 });
  if (!worst) return [ok(check, 'none yet')];
  const text = `${worst.table} has ${worst.parts} parts in one partition`;
  if (worst.parts > failureParts) return [failed(check, text, partsAdvice)];
  return [worst.parts > warningParts ? warning(check, text, partsAdvice) : ok(check, `${text}, the most of all`)];
};

/** Checks that the server accepts the settings every write relies on. */
export const checkSettings = async ({
  writer,
}: Pick<DiagnosticsDependencies, 'writer'>): Promise<readonly Finding[]> => {
  try {
    await writer.assertSettings();
    return [ok('settings of clickhouse', 'every write has those it relies on')];
  } catch (error) {
    return [
      failed(
        'settings of clickhouse',
        (error as Error).message,
        'Remove what pins or forbids them: a constraint in a profile of the writing user, or a version of the server that lacks them.',
      ),
    ];
  }
};
