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

/** Selects the run of ClickHouse. No row before the tables were verified. */
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
  /** The run of ClickHouse in which the list was read; null if its tables were not verified. */
  readonly run: string | null;
}

/** Selects the last batches of all generations, not only of the live one: a condition costs more CPU time than these few rows. */
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
 * Selects the run of ClickHouse and the progress of generations. ClickHouse opens the tables in the order of the text. The pending ranges
 * are last: those that a batch puts off are pending before its progress is written.
 */
const progressQuery = (live: readonly LiveGeneration[]): Sql => {
  const batches = live.map(({ projection }) => selectBatches(projection));
  const run = sql`SELECT 'run' AS kind, run AS name, [] AS numbers FROM (${selectRun})`;
  const all = [run, ...batches, ...live.flatMap(selectPending)];
  return sql`${joinWithUnionAll(all)} ${fewRows}`;
};

interface ProgressRow {
  readonly kind: string;
  /** The projection, or the run. */
  readonly name: string;
  /** Values in the order of the query. */
  readonly numbers: readonly bigint[];
}

function* decodeRows(bytes: Buffer): Generator<ProgressRow> {
  const values = new RowBinaryReader(bytes);
  while (!values.isAtEnd) yield { kind: values.readText(), name: values.readText(), numbers: values.readBigints() };
}

/** The last batch of a partition. */
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

/**
 * Finds the progress of a live generation. Everything up to the lowest position of its partitions can be read: nothing while one of
 * them has written no batch. Undefined if none of them has.
 */
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
    // ClickHouse also returns earlier batches whose rows it has not merged yet.
    if (batch.position >= (newest.get(batch.partition)?.position ?? 0n)) newest.set(batch.partition, batch);
  }
  const oldest = [...newest.values()].reduce((one, other) => (other.position < one.position ? other : one));
  const { position, asOfMs } = newest.size === live.partitions ? oldest : { position: 0n, asOfMs: 0 };
  const pending = own.flatMap(({ kind, numbers }) => (kind === 'pending' ? toPending(numbers, live) : []));
  return { generation: live.generation, tablesId: live.tables_id, position, changedPosition, asOfMs, pending };
};

interface ProgressSnapshot {
  /** The run of ClickHouse: when the tables were verified after its last start. Undefined before that. */
  readonly run: string | undefined;
  /** The progress of the projections in use. It is missing if nothing is projected yet, or if tables are missing or damaged. */
  readonly progress: ReadonlyMap<string, GenerationProgress | undefined>;
}

const maxAgeMs = 250;
/** Less than the 200 ms within which `rejectUnreadableTables` accepts a run that was read. */
const refreshMs = 150;
/**
 * After a switch, readers use the tables of the former generation for up to `liveMaxAgeMs` and `maxAgeMs` together. If these are dropped
 * earlier, the request is repeated.
 */
const liveMaxAgeMs = 1_000;
/** The progress of a projection is read for this long after its last use. */
const usedMs = 10_000;

interface ProgressReader {
  readonly readProgress: ReadProgress;
  /** The run of ClickHouse; undefined until its tables are verified. It is read with the progress of the projections in use. */
  readonly runs: CachedRead<string | undefined>;
}

/**
 * Creates a reader that reads the run of ClickHouse and the progress of the projections in use with one query. Callers must read the
 * progress before the rows. Otherwise, the progress may include events whose rows are not in the response.
 */
export const createProgressReader = (
  reader: ClickHouseReader,
  reportDamage: ReportDamage,
  log: Log,
): ProgressReader => {
  const liveGenerations = cacheRead(() => reader.rows<LiveGeneration>(liveGenerationsQuery), {
    refreshMs: 0.75 * liveMaxAgeMs,
  });
  /** When a projection came into use, and its last use, on the clock of `performance.now`. */
  const uses = new Map<string, { readonly sinceMs: number; readonly lastMs: number }>();
  const findUse = (projection: string) => {
    const use = uses.get(projection);
    return use && performance.now() < use.lastMs + usedMs ? use : undefined;
  };
  const isUsed = ({ projection }: LiveGeneration) => findUse(projection) !== undefined;

  /** Leaves out projections whose tables are missing or damaged. */
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
      if (live.length === 1) {
        if (isDataDamaged(error)) reportDamage([...query.relations.keys()], error);
        // The tables of a former generation were dropped. The next snapshot reads those of the live one.
        else await liveGenerations.get(performance.now());
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
    // ClickHouse was restored to a copy with another live generation, or it only restarted.
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
