import { generationTable, isResourceLimitExceeded } from '@popsvc/platform/clickhouse';
import type {
  BatchRange,
  BatchSession,
  RecomputePlan,
  RecomputeReason,
  StaleWindow,
  TemporaryTable,
} from './projection.ts';

/** The columns that a statement selects, from the first time it ran; they follow from its text, so they are the same for good. */
const shapes = new Map<string, string>();

const isEmpty = async (steps: BatchSession, table: string): Promise<boolean> =>
  (await steps.rows(`SELECT 1 FROM ${table} LIMIT 1`)).length === 0;

const shapeOf = async (steps: BatchSession, table: string): Promise<string> =>
  (await steps.rows<{ name: string; type: string }>(`DESCRIBE TABLE ${table}`))
    .map(({ name, type }) => `${name} ${type}`)
    .join(', ');

/**
 * Makes a temporary table. What ten plays cost is nearly all planning, so nothing is planned that need not be (CPU by
 * `system.query_log`, of batches of ten plays on a loaded machine): `CREATE … AS` plans what it selects twice, first for its columns
 * (`resolved` 24 ms, else 19; `affected` 12 and 10); and of nothing comes nothing, most batches having nobody in them (`seen` took 35 to
 * 49 ms, `online` 8, to ask not quite 2).
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

/** Facts of a batch: those that stand in its stretch of the log, and those further back that it takes late. */
export const isInBatch = (position = 'pos'): string =>
  `(${position} > {after:UInt64} AND ${position} <= {upTo:UInt64} OR ${position} IN {late:Array(UInt64)})`;

/** A batch that takes facts late may have come by one that stands before others of its kind. */
export const hasLateFacts = 'notEmpty({late:Array(UInt64)})';

/**
 * Facts that count. Where a batch is folded again there may be some of a later one that ended midway: what follows of them is not
 * there yet, and rows made of them here, with versions from before, could not take the place of others.
 */
export const isKnown = (position = 'pos'): string => `${position} <= {known:UInt64}`;

const everything = 2n ** 64n - 1n;

const knownParameter = (upTo: bigint, reached: bigint | undefined): { readonly known: string } => ({
  known: (reached === undefined ? everything : reached > upTo ? reached : upTo).toString(),
});

/** What statements that ask for them need to know. */
const batchParameters = ({
  after,
  upTo,
  late = [],
}: {
  readonly after: bigint;
  readonly upTo: bigint;
  readonly late?: readonly bigint[];
}) => ({ after: after.toString(), upTo: upTo.toString(), late: `[${late.join(',')}]` });

/** Year 2262: past it a DateTime64 of milliseconds is of no use to anyone. */
const endOfTimeMs = 9_214_646_400_000;

/** So many rows are computed again at a time. */
export const standardWindowRows = 200_000;

/** Stretches that hold too much are cut at hours, those of an hour at minutes, those of a minute at seconds. */
const widthsMs = [3_600_000, 60_000, 1_000];

interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Counted extends Window {
  readonly rows: number;
}

/** Neighbours together, as far as they hold no more than `most`; what is between two of them holds nothing. */
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
 * Where a change may have made rows stale, cut by how many there are: a set computed inside ClickHouse stays of a size it has
 * memory for, however much a network plays. Stretches that hold none are left out.
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
  /** Whether the batch holds facts, and whether those touch others; undefined: it holds none. */
  readonly facts: 'batch' | 'alone' | undefined;
  readonly changes: readonly StaleWindow[];
  /** Facts that stand further back in the log, named as the recipe names them. */
  readonly released?: readonly object[];
}

/**
 * How many parts are tried: a set may be larger than ClickHouse has memory or time for (a thousand people in front of a screen
 * all day are millions of rows), and what is refused once is refused for ever.
 */
const partings = [1, 16, 256];

/** Computes what a reason names, once: as a whole, or in parts where that is too much or known to be. */
export const recomputeFacts = async (
  steps: BatchSession,
  recipe: RecomputePlan,
  range: BatchRange,
  reason: RecomputeReason,
  of: object = {},
  fewest = 1,
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
  for (const slices of recipe.isSliced ? [fewest, ...partings.filter((parting) => parting > fewest)] : [1])
    try {
      for (let slice = 0; slice < slices; slice += 1) await compute(slices, slice);
      return;
    } catch (error) {
      if (!isResourceLimitExceeded(error) || !recipe.isSliced || slices >= partings.at(-1)!) throw error;
      await clear();
    }
};

/**
 * What a batch made stale: what its facts touch, and what the registry changed, a window at a time so that a set stays small. Every
 * fact of the batch is in by now, so that what two passes compute of one play is the same.
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
