import { ApiError } from '@popsvc/contracts/errors';
import { nameInShard, onlyShard, type Shard } from '@popsvc/domain/partitioning';
import {
  type ClickHouseReader,
  fewRows,
  isDataDamaged,
  liveViewName,
  type RowScope,
  type Sql,
  sql,
  sqlText,
} from '@popsvc/platform/clickhouse';
import { type Queryable, suspectTables } from '@popsvc/platform/postgres';
import { type CachedRead, cacheRead } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import { damagedRangesView } from '../pending/pending.table.ts';
import { verifiedRuns } from '../declarations/verified-runs.ts';
import type { UnreadableReason } from './progress.ts';
import { incompleteListMaxAgeMs } from './generations.ts';

const stateQuery: Sql = sql`
  SELECT groupArray(name) AS names, groupArray(reason) AS reasons,
    (SELECT groupArray((name, toFloat64(network_id), toFloat64(toUnixTimestamp64Milli(from_at)),
       toFloat64(toUnixTimestamp64Milli(to_at)))) FROM ${liveViewName(damagedRangesView)}) AS ranges,
    (SELECT min(toString(verified_at)) FROM ${sqlText(verifiedRuns)}) AS run
  FROM ${liveViewName({ name: 'incomplete' })}
  ${fewRows}`;

interface StateRow {
  readonly names: readonly string[];
  readonly reasons: readonly UnreadableReason[];
  readonly ranges: readonly (readonly [name: string, network: number, fromMs: number, toMs: number])[];
  readonly run: string;
}

export interface DamagedRange extends RowScope {
  readonly name: string;
}

export interface ReadableState {
  /** Identifies the run of ClickHouse; undefined while the tables have not been verified since it started. */
  readonly run: string | undefined;
  readonly unreadable: ReadonlyMap<string, UnreadableReason>;
  readonly damagedRanges: readonly DamagedRange[];
}

export const readReadableState = async (reader: ClickHouseReader): Promise<ReadableState> => {
  const [row] = await reader.rows<StateRow>(stateQuery);
  const { names = [], reasons = [], ranges = [], run = '' } = row ?? {};
  return {
    run: run || undefined,
    unreadable: new Map(names.map((name, at) => [name, reasons[at]!])),
    damagedRanges: ranges.map(([name, network, fromMs, toMs]) => ({ name, network, fromMs, toMs })),
  };
};

/** ClickHouse needs longer to stop and start again, so a run read within this time before a response is the run of the response. */
const certainMs = 200;

const errorOf = (reason: UnreadableReason): ApiError =>
  reason === 'upgrade'
    ? new ApiError('UNAVAILABLE', 'This data is being rebuilt after an upgrade. Retry later.', {
        retryAfterSeconds: 60,
      })
    : new ApiError('REBUILDING', undefined, { retryAfterSeconds: 30 });

const overlaps = (one: RowScope, other: RowScope): boolean =>
  one.network === other.network && one.fromMs < other.toMs && one.toMs > other.fromMs;

/** Throws UNAVAILABLE if `run` is undefined: the tables are not verified since ClickHouse started. */
export const requireVerified = (run: string | undefined): void => {
  if (run === undefined)
    throw new ApiError('UNAVAILABLE', 'The stored data is being verified after a restart. Retry later.', {
      retryAfterSeconds: 2,
    });
};

const requireReadable = ({ run, unreadable, damagedRanges }: ReadableState, { relations }: Sql): void => {
  requireVerified(run);
  for (const [relation, scopes] of relations) {
    const reason = unreadable.get(relation);
    if (reason !== undefined) throw errorOf(reason);
    const isDamaged = (range: DamagedRange) => scopes === 'all' || scopes.some((scope) => overlaps(scope, range));
    if (damagedRanges.some((range) => range.name === relation && isDamaged(range))) throw errorOf('damage');
  }
};

/** `relations`: the tables and views that the failed query reads. */
export type ReportDamage = (relations: readonly string[], error: Error) => void;

const reportAgainMs = 5_000;

/** `shards`: the shards that the queries read; default the only one. */
export const createDamageReporter = (
  postgres: Queryable,
  log: Log,
  shards: readonly Shard[] = [onlyShard],
): ReportDamage => {
  const reportedAt = new Map<string, number>();
  return (relations, error) => {
    const now = performance.now();
    if (now < (reportedAt.get(relations.join()) ?? -Infinity) + reportAgainMs) return;
    reportedAt.set(relations.join(), now);
    log.error({ err: error, relations }, 'query read damaged data; check of its tables requested');
    const suspected = shards.flatMap((shard) => relations.map((relation) => nameInShard(relation, shard)));
    suspectTables(postgres, suspected, error.message).catch((err: unknown) =>
      log.warn({ err, relations }, 'failed to request the check of tables'),
    );
  };
};

const maxAttempts = 2;

interface GuardedRead<T> {
  readonly read: () => Promise<T>;
  /** Called with a result that is not returned. */
  readonly discard?: (result: T) => void;
}

interface GuardOptions {
  /**
   * Cached run of ClickHouse, for a reader of one shard with many queries. A reader of several shards has none, because each server has its
   * own run.
   */
  readonly runs?: CachedRead<string | undefined>;
}

/**
 * Rejects queries of tables or time ranges that lack rows, and all queries until the tables are verified after a start of ClickHouse.
 * Checks the state before and after each query.
 */
export const rejectUnreadableTables = (
  reader: ClickHouseReader,
  reportDamage: ReportDamage,
  { runs }: GuardOptions = {},
): ClickHouseReader => {
  const states = cacheRead(() => readReadableState(reader), runs ? { refreshMs: 0.75 * incompleteListMaxAgeMs } : {});
  const stateSince = (ageMs: number) => states.get(performance.now() - ageMs);

  /** Returns false if the response may be from another run of ClickHouse. Throws if the query may have read tables that lack rows. */
  const isFromRun = async (before: ReadableState, query: Sql): Promise<boolean> => {
    if (runs && (await runs.get(performance.now() - certainMs)) !== before.run) return false;
    requireReadable(await stateSince(runs ? incompleteListMaxAgeMs : certainMs), query);
    return true;
  };
  const readInRun = async <T>(query: Sql, { read, discard }: GuardedRead<T>): Promise<T> => {
    let state = await stateSince(incompleteListMaxAgeMs);
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      requireReadable(state, query);
      const result = await read();
      let isUsed = false;
      try {
        isUsed = await isFromRun(state, query);
      } finally {
        if (!isUsed) discard?.(result);
      }
      if (isUsed) return result;
      state = await stateSince(0);
    }
    throw new ApiError('UNAVAILABLE', 'ClickHouse restarted during the query. Retry later.', { retryAfterSeconds: 2 });
  };
  const guard = async <T>(query: Sql, read: GuardedRead<T>): Promise<T> => {
    try {
      return await readInRun(query, read);
    } catch (error) {
      if (isDataDamaged(error)) reportDamage([...query.relations.keys()], error);
      throw error;
    }
  };
  return {
    ...reader,
    lines: (query, options) => guard(query, { read: () => reader.lines(query, options) }),
    rowBinary: (query, options) => guard(query, { read: () => reader.rowBinary(query, options) }),
    rows: <Row>(query: Sql, options?: Parameters<ClickHouseReader['rows']>[1]) =>
      guard(query, { read: () => reader.rows<Row>(query, options) }),
    async stream(query, format, options) {
      const rows = await guard(query, {
        read: () => reader.stream(query, format, options),
        discard: (stream) => stream.destroy(),
      });
      // The response has begun, so the error can only break the connection.
      return rows.once('error', (error) => {
        if (isDataDamaged(error)) reportDamage([...query.relations.keys()], error);
      });
    },
  };
};
