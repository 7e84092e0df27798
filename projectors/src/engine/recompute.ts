import { generationTable, isResourceLimitExceeded } from '@popsvc/platform/clickhouse';
import type {
  BatchRange,
  BatchSession,
  RecomputePlan,
  RecomputeReason,
  StaleWindow,
  TemporaryTable,
} from './projection.ts';

/**
 * Cache: the names and types of a query's result columns, keyed by the text of the query. Entries never expire, because the
 * columns depend only on that text.
 */
const columnsOfQuery = new Map<string, string>();

const isEmpty = async (session: BatchSession, table: string): Promise<boolean> =>
  (await session.rows(`SELECT 1 FROM ${table} LIMIT 1`)).length === 0;

const readColumns = async (session: BatchSession, table: string): Promise<string> =>
  (await session.rows<{ name: string; type: string }>(`DESCRIBE TABLE ${table}`))
    .map(({ name, type }) => `${name} ${type}`)
    .join(', ');

/**
 * Creates a temporary table from a query. Query planning accounts for most of a small batch's cost, so it is avoided where
 * possible:
 * - `CREATE … AS SELECT` plans its query twice. It is used only the first time, when the columns are not yet known.
 * - A query is skipped when its input table is empty. This helps because most batches contain no audience data. The check takes
 *   2 ms of CPU time, while the audience queries would take 40 to 60 ms (measured in `system.query_log` for batches of ten
 *   plays on a loaded machine).
 */
const createTemporaryTable = async (
  session: BatchSession,
  { name, emptyIfEmpty, sql }: TemporaryTable,
  params: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const columns = columnsOfQuery.get(sql);
  if (columns === undefined) {
    await session.run(`CREATE TEMPORARY TABLE ${name} AS ${sql}`, params);
    columnsOfQuery.set(sql, await readColumns(session, name));
    return;
  }
  await session.run(`CREATE TEMPORARY TABLE ${name} (${columns})`);
  if (emptyIfEmpty === undefined || !(await isEmpty(session, emptyIfEmpty)))
    await session.run(`INSERT INTO ${name} ${sql}`, params);
};

/** SQL condition for the facts of a batch: those in its log range, and older ones that were parked and are applied late. */
export const isInBatch = (position = 'pos'): string =>
  `(${position} > {after:UInt64} AND ${position} <= {upTo:UInt64} OR ${position} IN {late:Array(UInt64)})`;

/**
 * SQL condition: true for a batch with late facts. A late fact can precede already stored facts that have the same identity.
 */
export const hasLateFacts = 'notEmpty({late:Array(UInt64)})';

/**
 * SQL condition for the facts that a batch may use. When a batch is repeated, the tables can already contain facts of a later,
 * interrupted batch. The repeated batch must not derive rows from those facts, because rows with its older version would not
 * replace existing rows. The later batch derives these rows.
 */
export const isKnown = (position = 'pos'): string => `${position} <= {known:UInt64}`;

/** The highest UInt64, above every position of the log. */
const anyPosition = 2n ** 64n - 1n;

/** Query parameter for `isKnown`. `reached`: all derived rows up to this log position have been written; undefined: no limit. */
const knownParameter = (upTo: bigint, reached: bigint | undefined): { readonly known: string } => ({
  known: (reached === undefined ? anyPosition : reached > upTo ? reached : upTo).toString(),
});

/** Query parameters of `isInBatch` and `hasLateFacts`. */
const batchParameters = ({
  after,
  upTo,
  late = [],
}: {
  readonly after: bigint;
  readonly upTo: bigint;
  readonly late?: readonly bigint[];
}) => ({ after: after.toString(), upTo: upTo.toString(), late: `[${late.join(',')}]` });

/** 2262-01-01 in ms since 1970. A DateTime64 with nanosecond precision cannot represent times after April 2262. */
const endOfTimeMs = 9_214_646_400_000;

/** Default maximum number of stale rows that one statement recomputes. */
export const standardWindowRows = 200_000;

/**
 * Widths, in ms, of the parts into which a window with too many rows is split. A part that still has too many rows is split again
 * with the next smaller width.
 */
const widthsMs = [3_600_000, 60_000, 1_000];

interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

interface CountedWindow extends Window {
  readonly rows: number;
}

/** Joins consecutive windows while their total number of rows is at most `maxRows`. The gaps between windows contain no rows. */
const joinWindows = (parts: readonly CountedWindow[], maxRows: number): CountedWindow[] => {
  const windows: CountedWindow[] = [];
  for (const part of parts) {
    const last = windows.at(-1);
    if (last && last.rows + part.rows <= maxRows)
      windows[windows.length - 1] = { fromMs: last.fromMs, toMs: part.toMs, rows: last.rows + part.rows };
    else windows.push(part);
  }
  return windows;
};

/**
 * Splits the time range of a registry change into windows that are small enough for ClickHouse to process within its memory
 * limit. The more rows the change may have made stale, the shorter the windows. Omits ranges without such rows.
 */
const readStaleWindows = async (
  session: BatchSession,
  { table, staleRowsSql }: RecomputePlan,
  { upTo }: BatchRange,
  { reason, network, everything, ...change }: StaleWindow,
): Promise<Window[]> => {
  const { generation, maxWindowRows } = session;
  const whole: Window = { fromMs: Math.max(0, change.fromMs), toMs: Math.min(endOfTimeMs, change.toMs) };

  const counted = async ({ fromMs, toMs }: Window, widthMs: number): Promise<CountedWindow[]> => {
    const parts = await session.rows<{ at: string; rows: number }>(
      `SELECT toString(intDiv(toUnixTimestamp64Milli(ts), ${widthMs}) * ${widthMs}) AS at, toUInt32(count()) AS rows
       FROM ${generationTable(table, generation)}
       WHERE network_id = {network:UInt64}
       AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')
       AND (${staleRowsSql[reason](generation)})
       GROUP BY at ORDER BY toInt64(at)`,
      { network, everything: everything ? 1 : 0, fromMs, toMs, upTo: upTo.toString() },
    );
    return parts.map(({ at, rows }) => ({
      fromMs: Math.max(fromMs, Number(at)),
      toMs: Math.min(toMs, Number(at) + widthMs),
      rows,
    }));
  };

  const cut = async (window: Window, [widthMs, ...finer]: readonly number[]): Promise<CountedWindow[]> => {
    const parts: CountedWindow[] = [];
    for (const part of await counted(window, widthMs!))
      parts.push(...(part.rows > maxWindowRows && finer.length > 0 ? await cut(part, finer) : [part]));
    return parts;
  };

  return joinWindows(await cut(whole, widthsMs), maxWindowRows);
};

interface StaleFacts {
  /** `affecting`: the batch's facts affect the rows of older facts. `isolated`: they do not. `none`: the batch has no facts. */
  readonly facts: 'affecting' | 'isolated' | 'none';
  readonly changes: readonly StaleWindow[];
  /**
   * Pages of quarantined events that became facts in this batch. Each page is a set of query parameters for the plan's
   * statements.
   */
  readonly released?: readonly object[];
}

/**
 * Numbers of parts into which the facts can be divided when their rows are recomputed. If a statement exceeds ClickHouse's memory
 * or time limit, the next larger number is used. This happens with large audiences: a thousand people in front of a screen all day
 * produce millions of rows.
 */
const sliceCounts = [1, 16, 256];

/**
 * Recomputes the rows of the facts that `reason` selects. Processes them all at once. If that exceeds ClickHouse's limits and
 * the plan allows it, processes the facts in parts. `selection`: query parameters that only this reason needs.
 */
const recomputeFacts = async (
  session: BatchSession,
  plan: RecomputePlan,
  range: BatchRange,
  reason: RecomputeReason,
  selection: object = {},
): Promise<void> => {
  const statements = plan.statements(session.generation, reason);
  const temporary = statements.flatMap((statement) => (typeof statement === 'string' ? [] : [statement.name]));
  const dropTables = async () => {
    await session.run(`DROP TEMPORARY TABLE IF EXISTS ${temporary.join(', ')}`);
  };
  const compute = async (slices: number, slice: number) => {
    const params = {
      ...batchParameters(range),
      ...knownParameter(range.upTo, session.derivedUpTo),
      ...selection,
      slices,
      slice,
    };
    for (const statement of statements)
      if (typeof statement === 'string') await session.run(statement, params);
      else await createTemporaryTable(session, statement, params);
    await dropTables();
  };
  for (const slices of plan.isSliced ? sliceCounts : [1])
    try {
      for (let slice = 0; slice < slices; slice += 1) await compute(slices, slice);
      return;
    } catch (error) {
      if (!isResourceLimitExceeded(error) || !plan.isSliced || slices >= sliceCounts.at(-1)!) throw error;
      await dropTables();
    }
};

/**
 * Recomputes the rows that a batch made stale: first the rows affected by its facts, then the rows affected by registry
 * changes, one time window after another, and finally the rows of released events. A row may be computed several times, always
 * with the same result, because all facts of the batch are already written.
 */
export const recomputeStale = async (
  session: BatchSession,
  plan: RecomputePlan,
  range: BatchRange,
  { facts, changes, released = [] }: StaleFacts,
): Promise<void> => {
  if (facts !== 'none') await recomputeFacts(session, plan, range, facts);
  for (const change of changes)
    for (const { fromMs, toMs } of await readStaleWindows(session, plan, range, change)) {
      const window = { fromMs, toMs, network: change.network, everything: change.everything ? 1 : 0 };
      await recomputeFacts(session, plan, range, change.reason, window);
    }
  for (const page of released) await recomputeFacts(session, plan, range, 'released', page);
};
