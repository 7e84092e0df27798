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
import type { Log } from '@popsvc/platform/telemetry';
import { damagedRangesView } from '../pending/pending.table.ts';
import { verifiedRuns } from '../declarations/verified-runs.ts';
import type { UnreadableReason } from './progress.ts';
import { incompleteListMaxAgeMs } from './generations.ts';

/**
 * Selects the tables and views that readers must not use, the damaged time ranges of others by network, and whether the tables were
 * verified since ClickHouse started.
 */
const stateQuery: Sql = sql`
  SELECT groupArray(name) AS names, groupArray(reason) AS reasons,
    (SELECT groupArray((name, toFloat64(network_id), toFloat64(toUnixTimestamp64Milli(from_at)),
       toFloat64(toUnixTimestamp64Milli(to_at)))) FROM ${liveViewName(damagedRangesView)}) AS ranges,
    (SELECT count() FROM ${sqlText(verifiedRuns)}) > 0 AS verified
  FROM ${liveViewName({ name: 'incomplete' })}
  ${fewRows}`;

interface StateRow {
  readonly names: readonly string[];
  readonly reasons: readonly UnreadableReason[];
  readonly ranges: readonly (readonly [name: string, network: number, fromMs: number, toMs: number])[];
  readonly verified: boolean | number;
}

/** Rows that a table or view may lack, because a part of the table was lost, until they are derived again. */
export interface DamagedRange extends RowScope {
  readonly name: string;
}

/** Which tables readers may use. */
export interface ReadableState {
  /** False while the tables have not been verified since ClickHouse started. */
  readonly isVerified: boolean;
  /** Tables and views that readers must not use, with the reason. */
  readonly unreadable: ReadonlyMap<string, UnreadableReason>;
  /** Rows of other tables and views that readers must not use. */
  readonly damagedRanges: readonly DamagedRange[];
}

export const readReadableState = async (reader: ClickHouseReader): Promise<ReadableState> => {
  const [row] = await reader.rows<StateRow>(stateQuery);
  const { names = [], reasons = [], ranges = [], verified = false } = row ?? {};
  return {
    isVerified: Boolean(verified),
    unreadable: new Map(names.map((name, at) => [name, reasons[at]!])),
    damagedRanges: ranges.map(([name, network, fromMs, toMs]) => ({ name, network, fromMs, toMs })),
  };
};

/**
 * A response counts as read from verified tables if the state was read at most this many ms before the response arrived. ClickHouse
 * needs longer than this to stop and start again.
 */
const certainMs = 200;

interface StateCache {
  /** Returns a state that was read at or after the time `notBeforeMs`, on the clock of `performance.now`. */
  read(notBeforeMs: number): Promise<ReadableState>;
}

const createStateCache = (reader: ClickHouseReader): StateCache => {
  let last: { readonly sentAtMs: number; readonly state: Promise<ReadableState> } | undefined;
  return {
    read(notBeforeMs) {
      if (last && last.sentAtMs >= notBeforeMs) return last.state;
      const sent = { sentAtMs: performance.now(), state: readReadableState(reader) };
      last = sent;
      sent.state.catch(() => {
        if (last === sent) last = undefined;
      });
      return sent.state;
    },
  };
};

const errorOf = (reason: UnreadableReason): ApiError =>
  reason === 'upgrade'
    ? new ApiError('UNAVAILABLE', 'This data is being rebuilt after an upgrade. Retry later.', {
        retryAfterSeconds: 60,
      })
    : new ApiError('REBUILDING', undefined, { retryAfterSeconds: 30 });

const overlaps = (one: RowScope, other: RowScope): boolean =>
  one.network === other.network && one.fromMs < other.toMs && one.toMs > other.fromMs;

const requireReadable = ({ isVerified, unreadable, damagedRanges }: ReadableState, { relations }: Sql): void => {
  if (!isVerified)
    throw new ApiError('UNAVAILABLE', 'The stored data is being verified after a restart. Retry later.', {
      retryAfterSeconds: 2,
    });
  for (const [relation, scopes] of relations) {
    const reason = unreadable.get(relation);
    if (reason !== undefined) throw errorOf(reason);
    const isDamaged = (range: DamagedRange) => scopes === 'all' || scopes.some((scope) => overlaps(scope, range));
    if (damagedRanges.some((range) => range.name === relation && isDamaged(range))) throw errorOf('damage');
  }
};

/** Called when a query fails because data on the disk is damaged. `relations`: the tables and views that the query reads. */
type ReportDamage = (relations: readonly string[], error: Error) => void;

/**
 * Creates a function that logs damage and requests a check of the tables from the projectors. `shards`: those that the queries read;
 * default the only one.
 */
export const createDamageReporter =
  (postgres: Queryable, log: Log, shards: readonly Shard[] = [onlyShard]): ReportDamage =>
  (relations, error) => {
    log.error({ err: error, relations }, 'query read damaged data; check of its tables requested');
    const suspected = shards.flatMap((shard) => relations.map((relation) => nameInShard(relation, shard)));
    suspectTables(postgres, suspected, error.message).catch((err: unknown) =>
      log.warn({ err, relations }, 'failed to request the check of tables'),
    );
  };

/**
 * Wraps a reader so that no response contains rows of tables that lack rows. Rejects queries that read incomplete or damaged
 * tables or time ranges, and all queries until the tables were verified after a start of ClickHouse. Reads the state before the
 * query, from a cache, and again after it unless it is certain that ClickHouse did not restart in between.
 */
export const rejectUnreadableTables = (reader: ClickHouseReader, reportDamage: ReportDamage): ClickHouseReader => {
  const states = createStateCache(reader);
  const guard = async <T>(query: Sql, read: () => Promise<T>, discard?: (result: T) => void): Promise<T> => {
    requireReadable(await states.read(performance.now() - incompleteListMaxAgeMs), query);
    try {
      const result = await read();
      try {
        requireReadable(await states.read(performance.now() - certainMs), query);
      } catch (error) {
        discard?.(result);
        throw error;
      }
      return result;
    } catch (error) {
      if (isDataDamaged(error)) reportDamage([...query.relations.keys()], error);
      throw error;
    }
  };
  return {
    ...reader,
    lines: (query, options) => guard(query, () => reader.lines(query, options)),
    rowBinary: (query, options) => guard(query, () => reader.rowBinary(query, options)),
    rows: <Row>(query: Sql, options?: Parameters<ClickHouseReader['rows']>[1]) =>
      guard(query, () => reader.rows<Row>(query, options)),
    async stream(query, format, options) {
      const rows = await guard(
        query,
        () => reader.stream(query, format, options),
        (stream) => stream.destroy(),
      );
      // The response has begun. The error breaks the connection.
      return rows.once('error', (error) => {
        if (isDataDamaged(error)) reportDamage([...query.relations.keys()], error);
      });
    },
  };
};
