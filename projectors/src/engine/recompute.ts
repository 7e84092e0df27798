import { generationTable, isResourceLimitExceeded } from '@popsvc/platform/clickhouse';
import type {
  BatchRange,
  BatchSession,
  RecomputePlan,
  RecomputeReason,
  StaleWindow,
  TemporaryTable,
} from './projection.ts';

/** Columns of each query by its text. They depend on the text only, so they are cached for good. */
const shapes = new Map<string, string>();

const isEmpty = async (steps: BatchSession, table: string): Promise<boolean> =>
  (await steps.rows(`SELECT 1 FROM ${table} LIMIT 1`)).length === 0;

const shapeOf = async (steps: BatchSession, table: string): Promise<string> =>
  (await steps.rows<{ name: string; type: string }>(`DESCRIBE TABLE ${table}`))
    .map(({ name, type }) => `${name} ${type}`)
    .join(', ');

/**
 * Creates a temporary table from a query. Planning dominates the cost of small batches, so this avoids it (CPU by
 * `system.query_log`, batches of ten plays on a loaded machine). `CREATE … AS SELECT` plans the query twice: `resolved`
 * takes 24 ms instead of 19, `affected` 12 instead of 10. A query over an empty input is skipped: most batches have no
 * audience, where `seen` takes 35 to 49 ms, `online` 8, and the check for emptiness 2.
 */
const createTemporaryTable = async (
  steps: BatchSession,
  { name, emptyIfEmpty, sql }: TemporaryTable,
  params: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const shape = shapes.get(sql);
  if (shape === undefined) {
    await steps.run(`CREATE TEMPORARY TABLE ${name} AS ${sql}`, params);
    shapes.set(sql, await shapeOf(steps, name));
    return;
  }
  await steps.run(`CREATE TEMPORARY TABLE ${name} (${shape})`);
  if (emptyIfEmpty === undefined || !(await isEmpty(steps, emptyIfEmpty)))
    await steps.run(`INSERT INTO ${name} ${sql}`, params);
};

/** Matches the facts of a batch: those in its range of the log, and the older ones that it applies late. */
export const isInBatch = (position = 'pos'): string =>
  `(${position} > {after:UInt64} AND ${position} <= {upTo:UInt64} OR ${position} IN {late:Array(UInt64)})`;

/** Matches batches with late facts. A late fact can precede other facts with the same identity. */
export const hasLateFacts = 'notEmpty({late:Array(UInt64)})';

/**
 * Matches the facts that this batch may use. When a batch is repeated, the tables can hold facts of a later,
 * interrupted batch without their derived rows. Rows derived from those facts here would have older versions and could
 * not replace others.
 */
export const isKnown = (position = 'pos'): string => `${position} <= {known:UInt64}`;

const everything = 2n ** 64n - 1n;

const knownParameter = (upTo: bigint, reached: bigint | undefined): { readonly known: string } => ({
  known: (reached === undefined ? everything : reached > upTo ? reached : upTo).toString(),
});

/** Parameters of the statements that use the conditions above. */
const batchParameters = ({
  after,
  upTo,
  late = [],
}: {
  readonly after: bigint;
  readonly upTo: bigint;
  readonly late?: readonly bigint[];
}) => ({ after: after.toString(), upTo: upTo.toString(), late: `[${late.join(',')}]` });

/** The year 2262, the end of a DateTime64 with nanoseconds. */
const endOfTimeMs = 9_214_646_400_000;

/** Default maximum number of stale rows that one statement recomputes. */
export const standardWindowRows = 200_000;

/** A window with too many rows is cut at hours, then at minutes, then at seconds. */
const widthsMs = [3_600_000, 60_000, 1_000];

interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Counted extends Window {
  readonly rows: number;
}

/** Joins adjacent parts while they hold at most `most` rows. The gaps between parts hold no rows. */
const joined = (parts: readonly Counted[], most: number): Counted[] => {
  const windows: Counted[] = [];
  for (const part of parts) {
    const last = windows.at(-1);
    if (last && last.rows + part.rows <= most)
      windows[windows.length - 1] = { fromMs: last.fromMs, toMs: part.toMs, rows: last.rows + part.rows };
    else windows.push(part);
  }
  return windows;
};

/**
 * Cuts a change into windows by the number of rows it may have made stale, so that one statement fits into the memory
 * of ClickHouse. Omits windows without rows.
 */
const readStaleWindows = async (
  steps: BatchSession,
  { table, staleRowsSql }: RecomputePlan,
  { upTo }: BatchRange,
  { reason, network, everything, ...change }: StaleWindow,
): Promise<Window[]> => {
  const { generation, maxWindowRows: most } = steps;
  const whole: Window = { fromMs: Math.max(0, change.fromMs), toMs: Math.min(endOfTimeMs, change.toMs) };

  const counted = async ({ fromMs, toMs }: Window, widthMs: number): Promise<Counted[]> => {
    const parts = await steps.rows<{ at: string; rows: number }>(
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

  const cut = async (window: Window, [widthMs, ...finer]: readonly number[]): Promise<Counted[]> => {
    const parts: Counted[] = [];
    for (const part of await counted(window, widthMs!))
      parts.push(...(part.rows > most && finer.length > 0 ? await cut(part, finer) : [part]));
    return parts;
  };

  return joined(await cut(whole, widthsMs), most);
};

interface StaleFacts {
  /** Whether the batch contains facts, and whether they affect others; undefined: it contains none. */
  readonly facts: 'batch' | 'alone' | undefined;
  readonly changes: readonly StaleWindow[];
  /** Pages of older facts that this batch released, as parameters of the plan's statements. */
  readonly released?: readonly object[];
}

/**
 * Numbers of slices to try. A set can exceed the memory or time limit of ClickHouse (a thousand people in front of a
 * screen all day are millions of rows), and repeating the same statement would fail again.
 */
const partings = [1, 16, 256];

/** Recomputes the facts that a reason selects, as a whole or, when that exceeds the limits of ClickHouse, in slices. */
const recomputeFacts = async (
  steps: BatchSession,
  recipe: RecomputePlan,
  range: BatchRange,
  reason: RecomputeReason,
  of: object = {},
): Promise<void> => {
  const statements = recipe.statements(steps.generation, reason);
  const temporary = statements.flatMap((statement) => (typeof statement === 'string' ? [] : [statement.name]));
  const clear = async () => {
    await steps.run(`DROP TEMPORARY TABLE IF EXISTS ${temporary.join(', ')}`);
  };
  const compute = async (slices: number, slice: number) => {
    const params = {
      ...batchParameters(range),
      ...knownParameter(range.upTo, steps.derivedUpTo),
      ...of,
      slices,
      slice,
    };
    for (const statement of statements)
      if (typeof statement === 'string') await steps.run(statement, params);
      else await createTemporaryTable(steps, statement, params);
    await clear();
  };
  for (const slices of recipe.isSliced ? partings : [1])
    try {
      for (let slice = 0; slice < slices; slice += 1) await compute(slices, slice);
      return;
    } catch (error) {
      if (!isResourceLimitExceeded(error) || !recipe.isSliced || slices >= partings.at(-1)!) throw error;
      await clear();
    }
};

/**
 * Recomputes what a batch made stale: first what its facts affect, then what the registry changed, window by window.
 * All facts of the batch are written before, so two passes over one play compute the same rows.
 */
export const recomputeStale = async (
  steps: BatchSession,
  recipe: RecomputePlan,
  range: BatchRange,
  { facts, changes, released = [] }: StaleFacts,
): Promise<void> => {
  if (facts) await recomputeFacts(steps, recipe, range, facts);
  for (const change of changes)
    for (const { fromMs, toMs } of await readStaleWindows(steps, recipe, range, change)) {
      const of = { fromMs, toMs, network: change.network, everything: change.everything ? 1 : 0 };
      await recomputeFacts(steps, recipe, range, change.reason, of);
    }
  for (const page of released) await recomputeFacts(steps, recipe, range, 'released', page);
};
