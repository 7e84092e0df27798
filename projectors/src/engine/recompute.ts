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

/** Parked facts that are applied late precede the batch's range of sequences. The range also contains facts of other partitions. */
export const isInBatch = `(pos > {after:UInt64} AND pos <= {upTo:UInt64} OR pos IN {late:Array(UInt64)}) AND ${isOwnNetwork}`;

/** True if the batch applies parked facts, which can precede stored facts with the same identity. */
export const hasLateFacts = 'notEmpty({late:Array(UInt64)})';

/** Excludes facts of a later, interrupted batch: rows derived from them now would get a `valid_from` before the facts arrived. */
export const isKnown = 'pos <= {known:UInt64}';

/** Excludes rows of a later, interrupted batch while earlier batches are repeated. */
export const isComparable = 'version <= {comparable:UInt64}';

export const rowVersion = '2 * {rank:UInt64} + 1';
/** A tombstone's version must be above that of the deleted row. */
export const tombstoneVersion = 'greatest(2 * {rank:UInt64}, version + 1)';

/**
 * Number of ranks after `derivedUpTo` for repeated batches and units. Must be below the number of sequences of an event, so that the next
 * new batch has a higher rank.
 */
const maxRepeats = 1_000n;

const newestRepeat = (derivedUpTo: bigint): bigint => 2n * (derivedUpTo + maxRepeats) + 1n;

/**
 * The rank of a batch determines the versions of its rows. A repeated batch gets a rank after `derivedUpTo`, because readers of changes
 * have already passed the versions that it wrote first.
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

const batchParameters = ({ after, upTo, late = [] }: BatchRange, { derivedUpTo, rankOf }: BatchSession) => ({
  after: after.toString(),
  upTo: upTo.toString(),
  late: `[${late.join(',')}]`,
  known: (derivedUpTo > upTo ? derivedUpTo : upTo).toString(),
  comparable: (derivedUpTo < upTo ? maxUInt64 : newestRepeat(derivedUpTo)).toString(),
  rank: rankOf(upTo).toString(),
});

export const isDerivedNetwork = 'has({networks:Array(UInt64)}, network_id) = {isListed:UInt8}';

const networkParameters = (networks: Iterable<number>, isListed: boolean) => ({
  networks: `[${[...networks].join(',')}]`,
  isListed: isListed ? 1 : 0,
});

export const computeParameters = (session: BatchSession, range: BatchRange, changedFrom = firstSequenceOf(range)) => ({
  ...batchParameters(range, session),
  ...networkParameters(session.shares.putOff, false),
  ...partitionParameters(session.partition),
  changedFrom: changedFrom.toString(),
  validFromMs: session.validFromMs,
  validToMs: session.validToMs,
  rewritesAll: session.rewritesAll ? 1 : 0,
});

/** 2262-01-01. A DateTime64 with nanoseconds cannot represent times after April 2262. */
const endOfTimeMs = 9_214_646_400_000;

export const standardWindowRows = 200_000;
/** 100,000 pairs take about 1.2 s of CPU time (measured with thousands of plays and detections of one minute). */
export const standardPairs = { unit: 100_000, batch: 400_000 };

const widthsMs = [3_600_000, 60_000, 1_000];

export const finestWidthMs = widthsMs.at(-1)!;

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

const clipped = (change: StaleWindow): StaleWindow => ({
  ...change,
  fromMs: Math.max(0, change.fromMs),
  toMs: Math.min(endOfTimeMs, change.toMs),
});

export interface CountedWindow extends Window {
  readonly rows: number;
}

/** The times between consecutive parts have no rows, so a joined window may include these times. */
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

export const isInWindow = (
  time: string,
): string => `network_id >= {network:UInt64} AND network_id <= {lastNetwork:UInt64} AND ${isOwnNetwork}
  AND ${time} >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND ${time} < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`;

interface RowsInRange extends Window, NetworkRange {
  readonly table: TableDefinition;
  readonly time: string;
  readonly condition: string;
  readonly params?: object;
}

/** A window has at most `maxRows` rows, except windows of one second. Times without rows may be in no window. */
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

/** `changedFrom`: first sequence of the batch with the change. */
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

export const readFactWindows = (
  session: BatchSession,
  range: Window & NetworkRange,
  maxFacts: number,
): Promise<readonly CountedWindow[]> => {
  const { table, startedAt: time } = derivedTableOf(session.projection).facts;
  return readWindows(session, { ...range, table, time, condition: '1' }, maxFacts);
};

interface StaleFacts {
  /** `affecting`: the batch's facts may affect the rows of older facts. `isolated`: they do not. */
  readonly facts: 'affecting' | 'isolated' | 'none';
  readonly changes: readonly StaleWindow[];
  /** Query parameters for each page of quarantined events that became facts in this batch. */
  readonly released?: readonly object[];
}

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

interface SelectedFacts {
  readonly reason: RecomputeReason;
  readonly selection?: object;
}

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

/** All facts of the batch are written before, so a row that is computed several times always gets the same result. */
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
