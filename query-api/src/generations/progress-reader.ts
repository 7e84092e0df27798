import {
  type ClickHouseReader,
  fewRows,
  isDataDamaged,
  isTableMissing,
  joinWithUnionAll,
  liveViewName,
  quoteString,
  RowBinaryReader,
  type Sql,
  sql,
  sqlText,
  tableName,
  type TableDefinition,
} from '@popsvc/platform/clickhouse';
import { type CachedRead, cacheRead } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import { type ReportDamage, requireVerified } from '@popsvc/read-models/generations';
import {
  damagedCause,
  derivedCoffee,
  derivedWatcherSummary,
  liveGenerationsView,
  progressOf,
  verifiedRuns,
} from '@popsvc/read-models/tables';
import type { GenerationProgress, PendingSince, ReadProgress } from './live-generations.ts';

/**
 * A run of ClickHouse lasts from one start to the next; the time at which the tables were verified identifies the run. Selects no row
 * before that time.
 */
const selectRun: Sql = sql`SELECT toString(min(verified_at)) AS run FROM ${sqlText(verifiedRuns)} HAVING count() > 0`;

const liveGenerationsQuery: Sql = sql`
SELECT projection, generation, tables_id, shards, partitions, (${selectRun}) AS run
FROM ${liveViewName(liveGenerationsView)} ${fewRows}`;

interface LiveGeneration {
  readonly projection: string;
  readonly generation: number;
  readonly tables_id: string;
  readonly shards: number;
  readonly partitions: number;
  /** Null until the tables are verified in this run. */
  readonly run: string | null;
}

/** A condition for the live generation would cost more CPU time than reading these few rows. */
const selectBatches = (projection: string): Sql => sql`
SELECT 'batch' AS kind, ${sqlText(quoteString(projection))} AS name, [toUInt64(generation), partitions, partition, pos, changed_pos,
  toUInt64(toUnixTimestamp64Milli(as_of))] AS numbers
FROM ${tableName(progressOf(projection), 1)}`;

const pendingTables: Readonly<Record<string, TableDefinition>> = {
  coffee: derivedCoffee.pending,
  'watcher-summary': derivedWatcherSummary.pending,
};

const selectPending = ({ projection, generation }: LiveGeneration): readonly Sql[] => {
  const table = pendingTables[projection];
  if (!table) return [];
  return [
    sql`
SELECT 'pending' AS kind, ${sqlText(quoteString(projection))} AS name, [network_id, greatest(network_id, last_network),
  toUInt64(toUnixTimestamp64Milli(min(as_of)))] AS numbers
FROM ${tableName(table, generation)} FINAL
WHERE cause != ${sqlText(quoteString(damagedCause))} GROUP BY network_id, last_network`,
  ];
};

/**
 * Pending ranges must come last: ClickHouse opens tables in the order of the query, and a batch records what it postpones before its
 * progress.
 */
const progressQuery = (live: readonly LiveGeneration[]): Sql => {
  const batches = live.map(({ projection }) => selectBatches(projection));
  const run = sql`SELECT 'run' AS kind, run AS name, [] AS numbers FROM (${selectRun})`;
  const all = [run, ...batches, ...live.flatMap(selectPending)];
  return sql`${joinWithUnionAll(all)} ${fewRows}`;
};

interface ProgressRow {
  readonly kind: string;
  /** Name of the projection or, if `kind` is `run`, the run. */
  readonly name: string;
  readonly numbers: readonly bigint[];
}

function* decodeRows(bytes: Buffer): Generator<ProgressRow> {
  const values = new RowBinaryReader(bytes);
  while (!values.isAtEnd) yield { kind: values.readText(), name: values.readText(), numbers: values.readBigints() };
}

/** Written by one partition of a projection. */
interface Batch {
  readonly generation: number;
  readonly partitions: number;
  readonly partition: number;
  readonly position: bigint;
  readonly changedPosition: bigint;
  readonly asOfMs: number;
}

const toBatch = ([generation, partitions, partition, position, changedPosition, asOfMs]: readonly bigint[]): Batch => ({
  generation: Number(generation),
  partitions: Number(partitions),
  partition: Number(partition),
  position: position!,
  changedPosition: changedPosition!,
  asOfMs: Number(asOfMs),
});

const toPending = (
  [network, lastNetwork, asOfMs]: readonly bigint[],
  { partitions, shards }: LiveGeneration,
): PendingSince => ({
  network: Number(network),
  lastNetwork: Number(lastNetwork),
  partitions,
  shards,
  asOfMs: Number(asOfMs),
});

/** The position is 0 until each partition has written a batch. Returns undefined until one partition has. */
const findProgress = (live: LiveGeneration, rows: readonly ProgressRow[]): GenerationProgress | undefined => {
  const own = rows.filter(({ name }) => name === live.projection);
  const batches = own
    .flatMap(({ kind, numbers }) => (kind === 'batch' ? toBatch(numbers) : []))
    .filter(({ generation, partitions }) => generation === live.generation && partitions === live.partitions);
  if (batches.length === 0) return undefined;
  const newest = new Map<number, Batch>();
  let changedPosition = 0n;
  for (const batch of batches) {
    if (batch.changedPosition > changedPosition) changedPosition = batch.changedPosition;
    // ClickHouse also returns earlier batches of a partition until it merges their rows.
    if (batch.position >= (newest.get(batch.partition)?.position ?? 0n)) newest.set(batch.partition, batch);
  }
  const oldest = [...newest.values()].reduce((one, other) => (other.position < one.position ? other : one));
  const { position, asOfMs } = newest.size === live.partitions ? oldest : { position: 0n, asOfMs: 0 };
  const pending = own.flatMap(({ kind, numbers }) => (kind === 'pending' ? toPending(numbers, live) : []));
  return { generation: live.generation, tablesId: live.tables_id, position, changedPosition, asOfMs, pending };
};

interface ProgressSnapshot {
  /** Undefined until the tables are verified, or if ClickHouse restarted during the read. */
  readonly run: string | undefined;
  /** A projection is missing or undefined before its first batch, and if its tables are missing or damaged. */
  readonly progress: ReadonlyMap<string, GenerationProgress | undefined>;
}

const maxAgeMs = 250;
/** Below 200 ms, the age up to which `rejectUnreadableTables` accepts a cached run. */
const refreshMs = 150;
/** New requests may use former tables for about `liveMaxAgeMs + maxAgeMs` after a switch. */
const liveMaxAgeMs = 1_000;
/** Only the progress of projections that were read within this time is refreshed. */
const usedMs = 10_000;

interface ProgressReader {
  readonly readProgress: ReadProgress;
  readonly runs: CachedRead<string | undefined>;
}

/** Callers must read the progress before the rows; in the other order, the progress may include events that the rows lack. */
export const createProgressReader = (
  reader: ClickHouseReader,
  reportDamage: ReportDamage,
  log: Log,
): ProgressReader => {
  const liveGenerations = cacheRead(() => reader.rows<LiveGeneration>(liveGenerationsQuery), {
    refreshMs: 0.75 * liveMaxAgeMs,
  });
  /** Times on the clock of `performance.now`. */
  const uses = new Map<string, { readonly sinceMs: number; readonly lastMs: number }>();
  const findUse = (projection: string) => {
    const use = uses.get(projection);
    return use && performance.now() < use.lastMs + usedMs ? use : undefined;
  };
  const isUsed = ({ projection }: LiveGeneration) => findUse(projection) !== undefined;

  const readProgressOf = async (live: readonly LiveGeneration[]): Promise<ProgressSnapshot> => {
    const query = progressQuery(live);
    try {
      const rows = [...decodeRows(await reader.rowBinary(query))];
      return {
        run: rows.find(({ kind }) => kind === 'run')?.name,
        progress: new Map(live.map((each) => [each.projection, findProgress(each, rows)])),
      };
    } catch (error) {
      const isOfTables = isTableMissing(error) || isDataDamaged(error);
      if (!isOfTables || live.length === 0) throw error;
      const [only] = live;
      if (only && live.length === 1) {
        if (isDataDamaged(error)) reportDamage([...query.relations.keys()], error);
        else {
          // After the list was read, another generation may have become live, and this one dropped.
          const listed = await liveGenerations.get(performance.now());
          const current = listed.find(({ projection }) => projection === only.projection);
          if (current && current.generation !== only.generation) return readProgressOf([current]);
        }
        return readProgressOf([]);
      }
      const all = await Promise.all(live.map((each) => readProgressOf([each])));
      const [{ run }] = all as [ProgressSnapshot];
      return {
        run: all.every((each) => each.run === run) ? run : undefined,
        progress: new Map(all.flatMap(({ progress }) => [...progress])),
      };
    }
  };
  const readSnapshot = async (): Promise<ProgressSnapshot> => {
    const live = (await liveGenerations.get(performance.now() - liveMaxAgeMs)).filter(isUsed);
    const snapshot = await readProgressOf(live);
    // After a restart, ClickHouse may have other live generations, for example if it runs on an older copy of its files.
    const hasRestarted = live.some(({ run }) => (run ?? undefined) !== snapshot.run);
    return hasRestarted ? readProgressOf((await liveGenerations.get(performance.now())).filter(isUsed)) : snapshot;
  };
  const snapshots = cacheRead(readSnapshot, { refreshMs });

  return {
    async readProgress(projection, { isUncached = false, isRequired = false } = {}) {
      const now = performance.now();
      const { sinceMs } = findUse(projection) ?? { sinceMs: now };
      uses.set(projection, { sinceMs, lastMs: now });
      try {
        if (isUncached) await liveGenerations.get(performance.now());
        const oldest = performance.now() - (isUncached ? 0 : maxAgeMs);
        const { run, progress } = await snapshots.get(Math.max(sinceMs, oldest));
        requireVerified(run);
        return progress.get(projection);
      } catch (err) {
        if (isRequired) throw err;
        log.warn({ err, projection }, 'failed to read projection progress');
        return undefined;
      }
    },
    runs: { get: async (notBeforeMs) => (await snapshots.get(notBeforeMs)).run },
  };
};
