import { type ClickHouseWriter, generationTable, type TableDefinition } from '@popsvc/platform/clickhouse';
import { computeRows, createTemporaryTable, dropTemporaryTables, type PairsByNetwork } from './compute-rows.ts';
import { isOwnNetwork, partitionParameters } from './own-networks.ts';
import { firstSequenceOf, putOffRanges, putOffWindow } from './pending-ranges.ts';
import {
  type BatchRange,
  type BatchSession,
  derivedTableOf,
  type NetworkRange,
  type RecomputePlan,
  type RecomputeReason,
  type StaleWindow,
} from './projection.ts';
import type { ProjectionGeneration } from './generation-partitions.ts';

/**
 * SQL condition for the facts of a batch: those in its range of sequences, and older ones that were parked and are applied late.
 * `isOwnNetwork` excludes facts of other partitions in that range.
 */
export const isInBatch = `(pos > {after:UInt64} AND pos <= {upTo:UInt64} OR pos IN {late:Array(UInt64)}) AND ${isOwnNetwork}`;

/** SQL condition that is true for a batch that applies parked items. Such an item can precede stored facts with the same identity. */
export const hasLateFacts = 'notEmpty({late:Array(UInt64)})';

/**
 * SQL condition for the facts that a batch may use: those up to its end or up to `derivedUpTo`, whichever is later. Tables may also contain
 * facts of a later, interrupted batch. Rows derived from these now would get a `valid_from` before the facts arrived. Placements, thresholds
 * and feeders have no such limit: while batches are repeated, they are the newest that are stored.
 */
export const isKnown = 'pos <= {known:UInt64}';

/**
 * SQL condition for the stored rows that new ones may replace. While batches up to `derivedUpTo` are repeated, it excludes rows of a later,
 * interrupted batch, which come from facts that are not known yet (see `isKnown`).
 */
export const isComparable = 'version <= {comparable:UInt64}';

export const rowVersion = '2 * {rank:UInt64} + 1';
/** SQL expression for the version of a tombstone. It is always above `version`, that of the deleted row. */
export const tombstoneVersion = 'greatest(2 * {rank:UInt64}, version + 1)';

/**
 * Number of ranks after `derivedUpTo` for batches and units that are derived again; when they are used up, the last one is shared. It is
 * below the number of sequences of an event, so the next new batch has a higher rank.
 */
const maxRepeats = 1_000n;

/** The highest version of rows of repeated batches and units. */
const newestRepeat = (derivedUpTo: bigint): bigint => 2n * (derivedUpTo + maxRepeats) + 1n;

/**
 * Returns the function that ranks the batches and units of a run by their last sequence. The rank determines the versions of their rows.
 * The rank of a new batch is its last sequence.
 *
 * A batch or unit that ends at or before `derivedUpTo` gets the next rank after `derivedUpTo` that no stored row has, as long as there is
 * one (see `maxRepeats`). Its rows then have versions that readers of changes have not passed: they pass `derivedUpTo` only when the next
 * new batch is written.
 */
export const readRanks = async (
  writer: Pick<ClickHouseWriter, 'rows'>,
  { projection, generation }: ProjectionGeneration,
  derivedUpTo: bigint,
): Promise<(upTo: bigint) => bigint> => {
  const readRepeats = async (table: TableDefinition): Promise<bigint> => {
    const [found] = await writer.rows<{ used: string }>(
      `SELECT toString(max(version)) AS used FROM ${generationTable(table, generation)}
       WHERE version > {derived:UInt64} AND version <= {newest:UInt64}`,
      { params: { derived: (2n * derivedUpTo + 1n).toString(), newest: newestRepeat(derivedUpTo).toString() } },
    );
    const used = BigInt(found?.used ?? 0);
    return used === 0n ? 0n : used / 2n - derivedUpTo;
  };
  let repeats = projection.derived ? await readRepeats(projection.derived.table) : 0n;
  return (upTo) => {
    if (upTo > derivedUpTo) return upTo;
    if (repeats < maxRepeats) repeats += 1n;
    return derivedUpTo + repeats;
  };
};

const maxUInt64 = 2n ** 64n - 1n;

/** Query parameters of `isInBatch`, `hasLateFacts`, `isKnown`, `isComparable` and `rowVersion`. */
const batchParameters = ({ after, upTo, late = [] }: BatchRange, { derivedUpTo, rankOf }: BatchSession) => ({
  after: after.toString(),
  upTo: upTo.toString(),
  late: `[${late.join(',')}]`,
  known: (derivedUpTo > upTo ? derivedUpTo : upTo).toString(),
  comparable: (derivedUpTo < upTo ? maxUInt64 : newestRepeat(derivedUpTo)).toString(),
  rank: rankOf(upTo).toString(),
});

/** SQL condition for the networks whose rows a statement derives: those in `networks` if `isListed` is 1, else all others. */
export const isDerivedNetwork = 'has({networks:Array(UInt64)}, network_id) = {isListed:UInt8}';

const networkParameters = (networks: Iterable<number>, isListed: boolean) => ({
  networks: `[${[...networks].join(',')}]`,
  isListed: isListed ? 1 : 0,
});

/**
 * Query parameters of the statements of every plan, for all networks except those that are put off. `changedFrom`: first sequence of the
 * batch with a registry change (see `readStaleWindows`).
 */
export const computeParameters = (session: BatchSession, range: BatchRange, changedFrom = firstSequenceOf(range)) => ({
  ...batchParameters(range, session),
  ...networkParameters(session.shares.putOff, false),
  ...partitionParameters(session.partition),
  changedFrom: changedFrom.toString(),
  validFromMs: session.validFromMs,
  validToMs: session.validToMs,
  rewritesAll: session.rewritesAll ? 1 : 0,
});

/** 2262-01-01 in ms since 1970. A DateTime64 with nanoseconds cannot represent times after April 2262. */
const endOfTimeMs = 9_214_646_400_000;

/** Default of `BatchLimits.maxWindowRows`. */
export const standardWindowRows = 200_000;
/**
 * Defaults of `unitPairs` and `batchPairs` in `BatchLimits`. 100,000 pairs take about 1.2 s of CPU time (measured with thousands of plays
 * and detections of one minute).
 */
export const standardPairs = { unit: 100_000, batch: 400_000 };

/**
 * Widths in ms of the parts into which a time window with too many rows is split. A part that still has too many rows is split with the
 * next width.
 */
const widthsMs = [3_600_000, 60_000, 1_000];

export const finestWidthMs = widthsMs.at(-1)!;

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Limits the time range of a change to the years 1970 to 2261, which a DateTime64 of any precision can represent. */
const clipped = (change: StaleWindow): StaleWindow => ({
  ...change,
  fromMs: Math.max(0, change.fromMs),
  toMs: Math.min(endOfTimeMs, change.toMs),
});

export interface CountedWindow extends Window {
  readonly rows: number;
}

/**
 * Joins consecutive windows while they have at most `maxRows` rows together. The times between them have no rows, so a joined window may
 * include these times.
 */
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

/** SQL condition for rows of the partition's networks in a range of networks and a time window. `time`: the column with the time. */
export const isInWindow = (
  time: string,
): string => `network_id >= {network:UInt64} AND network_id <= {lastNetwork:UInt64} AND ${isOwnNetwork}
  AND ${time} >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND ${time} < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`;

/** Rows of consecutive networks in a time range. `time`: the column with the time. `params`: parameters of `condition`. */
interface RowsInRange extends Window, NetworkRange {
  readonly table: TableDefinition;
  readonly time: string;
  readonly condition: string;
  readonly params?: object;
}

/**
 * Splits a time range into windows with at most `maxRows` rows; a window of one second may have more. Times without rows may be in no
 * window.
 */
const readWindows = async (
  session: BatchSession,
  { network, lastNetwork, table, time, condition, params, ...whole }: RowsInRange,
  maxRows: number,
): Promise<CountedWindow[]> => {
  const counted = async ({ fromMs, toMs }: Window, widthMs: number): Promise<CountedWindow[]> => {
    const parts = await session.rows<{ at: string; rows: number }>(
      `SELECT toString(intDiv(toUnixTimestamp64Milli(${time}), ${widthMs}) * ${widthMs}) AS at, toUInt32(count()) AS rows
       FROM ${generationTable(table, session.generation)}
       WHERE ${isInWindow(time)} AND (${condition})
       GROUP BY at ORDER BY toInt64(at)`,
      { network, lastNetwork, fromMs, toMs, ...partitionParameters(session.partition), ...params },
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
      parts.push(...(part.rows > maxRows && finer.length > 0 ? await cut(part, finer) : [part]));
    return parts;
  };

  return joinWindows(await cut(whole, widthsMs), maxRows);
};

/**
 * Splits the time range of a registry change into windows by the number of rows that may be stale, like `readWindows`. `changedFrom`: first
 * sequence of the batch with the change; placements and feeders written from there on count as changed.
 */
export const readStaleWindows = (
  session: BatchSession,
  { staleRowsSql }: RecomputePlan,
  changedFrom: bigint,
  { reason, network, everything, fromMs, toMs }: StaleWindow,
  maxRows: number,
): Promise<readonly CountedWindow[]> =>
  readWindows(
    session,
    {
      network,
      lastNetwork: network,
      fromMs,
      toMs,
      time: 'ts',
      table: derivedTableOf(session.projection).table,
      condition: staleRowsSql[reason](session.generation),
      params: { everything: everything ? 1 : 0, changedFrom: changedFrom.toString() },
    },
    maxRows,
  );

/** Splits a time range into windows by the number of facts, like `readWindows`. */
export const readFactWindows = (
  session: BatchSession,
  range: Window & NetworkRange,
  maxFacts: number,
): Promise<readonly CountedWindow[]> => {
  const { table, startedAt: time } = derivedTableOf(session.projection).facts;
  return readWindows(session, { ...range, table, time, condition: '1' }, maxFacts);
};

interface StaleFacts {
  /** `affecting`: the batch's facts affect the rows of older facts. `isolated`: they do not. `none`: the batch has no facts. */
  readonly facts: 'affecting' | 'isolated' | 'none';
  readonly changes: readonly StaleWindow[];
  /** Pages of quarantined events that became facts in this batch. Each page is a set of query parameters for the plan. */
  readonly released?: readonly object[];
}

/** Query parameters of `isInWindow`, and whether all rows in the window are stale. */
export const windowParameters = (
  { fromMs, toMs }: Window,
  { network, lastNetwork = network, everything }: Pick<StaleWindow, 'network' | 'everything'> & Partial<NetworkRange>,
) => ({
  fromMs,
  toMs,
  network,
  lastNetwork,
  everything: everything ? 1 : 0,
});

/**
 * Chooses the networks to put off: those with the most pairs, until the others have at most `batchPairs` together. `restPairs`: number of
 * pairs of the others.
 */
const chooseHeavyNetworks = (
  pairs: PairsByNetwork,
  batchPairs: number,
): { readonly heavy: readonly number[]; readonly restPairs: number } => {
  const heavy: number[] = [];
  let restPairs = 0;
  for (const [network, ofNetwork] of [...pairs].sort(([, one], [, other]) => one - other))
    if (heavy.length === 0 && restPairs + ofNetwork <= batchPairs) restPairs += ofNetwork;
    else heavy.push(network);
  return { heavy, restPairs };
};

/** The facts whose rows a batch made stale. `selection`: query parameters that only this reason needs. */
interface SelectedFacts {
  readonly reason: RecomputeReason;
  readonly selection?: object;
}

/**
 * Computes the rows of the selected facts again, in slices if they have more pairs than a unit may have. Calls `putOff` with the networks
 * that exceed the bound of a batch, and computes the rows of the others.
 */
const recomputeFacts = async (
  session: BatchSession,
  plan: RecomputePlan,
  range: BatchRange,
  { reason, selection = {} }: SelectedFacts,
  putOff: (networks: readonly number[]) => Promise<void>,
): Promise<void> => {
  const { shares } = session;
  const compute = (slices: number, maxPairs?: number) => {
    const params = { ...computeParameters(session, range), ...selection };
    return computeRows(session, plan, { reason, params }, slices, maxPairs);
  };
  const pairs = await compute(1, shares.unitPairs);
  if (!pairs) return;
  const { heavy, restPairs } = chooseHeavyNetworks(pairs, shares.batchPairs);
  if (heavy.length > 0) {
    for (const network of heavy) shares.putOff.add(network);
    await putOff(heavy);
  }
  await compute(Math.max(1, Math.ceil(restPairs / shares.unitPairs)));
};

/**
 * Handles facts of networks whose rows are derived later: writes what needs no pairs, and adds the ranges of these facts to the pending
 * ranges.
 */
const putOffFacts = async (
  session: BatchSession,
  plan: RecomputePlan,
  range: BatchRange,
  { reason, selection = {} }: SelectedFacts,
  networks: Iterable<number>,
): Promise<void> => {
  if (!plan.pairs) return;
  const statements = plan.pairs.putOff(session.generation, reason);
  const params = {
    ...computeParameters(session, range),
    ...networkParameters(networks, true),
    ...selection,
    slices: 1,
    slice: 0,
  };
  for (const statement of statements)
    if (typeof statement === 'string') await session.run(statement, params);
    else await createTemporaryTable(session, statement, params);
  await putOffRanges(session, range);
  await dropTemporaryTables(session, statements);
};

/**
 * Computes the rows again that a batch made stale: those affected by its facts, then those affected by registry changes, and finally those
 * of released events. A row may be computed several times, always with the same result, because all facts of the batch are written before.
 * Puts off networks that exceed their share of the batch, and registry changes with more stale rows than one time window may have.
 */
export const recomputeStale = async (
  session: BatchSession,
  plan: RecomputePlan,
  range: BatchRange,
  { facts, changes, released = [] }: StaleFacts,
): Promise<void> => {
  const { putOff } = session.shares;
  const recompute = async (selected: SelectedFacts) => {
    if (putOff.size > 0) await putOffFacts(session, plan, range, selected, putOff);
    await recomputeFacts(session, plan, range, selected, (networks) =>
      putOffFacts(session, plan, range, selected, networks),
    );
  };
  if (facts !== 'none') await recompute({ reason: facts });
  for (const change of changes.map(clipped)) {
    const later = () => putOffWindow(session, range, change);
    const windows = putOff.has(change.network)
      ? []
      : await readStaleWindows(session, plan, firstSequenceOf(range), change, session.maxWindowRows);
    if (windows.length > 1) putOff.add(change.network);
    if (putOff.has(change.network)) {
      await later();
      continue;
    }
    for (const window of windows)
      await recomputeFacts(
        session,
        plan,
        range,
        { reason: change.reason, selection: windowParameters(window, change) },
        later,
      );
  }
  for (const selection of released) await recompute({ reason: 'released', selection });
};
