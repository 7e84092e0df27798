import { isResourceLimitExceeded } from '@popsvc/platform/clickhouse';
import { computeRows, computeSlice, createTemporaryTable, dropTemporaryTables, sumPairs } from './compute-rows.ts';
import { damagedCause, replayCause } from '@popsvc/read-models/tables';
import { finishUnitRanges, type PendingRange, recordSlices, shortenWindow, unitRanges } from './pending-ranges.ts';
import type { BatchSession, RecomputePlan, StaleWindow } from './projection.ts';
import { computeParameters, finestWidthMs, readFactWindows, readStaleWindows, windowParameters } from './recompute.ts';

interface Sizes {
  of(network: number): number;
  set(network: number, size: number): void;
}

const createSizes = (first: number, max: number): Sizes => {
  const sizes = new Map<number, number>();
  return {
    of: (network) => sizes.get(network) ?? first,
    set: (network, size) => void sizes.set(network, Math.max(1, Math.min(max, Math.floor(size)))),
  };
};

export interface UnitSizes {
  readonly ranges: Sizes;
  readonly windows: Sizes;
}

export const createUnitSizes = (maxRows: number): UnitSizes => ({
  ranges: createSizes(64, 4_096),
  windows: createSizes(maxRows, maxRows),
});

/** `at`: the rows are derived from the facts up to this sequence. */
interface Unit {
  readonly session: BatchSession;
  readonly plan: RecomputePlan;
  readonly network: number;
  readonly at: bigint;
}

const isOfFacts = ({ cause }: PendingRange): boolean => cause === damagedCause || cause === replayCause;

const asChange = ({ network, fromMs, toMs, cause }: PendingRange): StaleWindow => ({
  network,
  fromMs,
  toMs,
  reason: cause === 'feeders' ? 'feeders' : 'registry',
  everything: cause === 'thresholds',
});

const limitFactor = 16;
const maxSlices = 1_000_000;

/** Returns 1 on success, else a factor above 1 by which the unit is estimated to be too large. */
const computeUnit = async (
  { session, plan, at }: Unit,
  slice: { readonly slices: number; readonly slice: number },
): Promise<number> => {
  const { unitPairs } = session.shares;
  const computation = { reason: 'pending' as const, params: computeParameters(session, { after: at, upTo: at }) };
  try {
    const pairs = await computeSlice(session, plan, computation, slice, slice.slices === 1 ? unitPairs : Infinity);
    return pairs ? sumPairs(pairs) / unitPairs : 1;
  } catch (error) {
    if (!isResourceLimitExceeded(error)) throw error;
    await dropTemporaryTables(session, plan.statements(session.generation, 'pending'));
    if (slice.slices * limitFactor > maxSlices) throw error;
    return limitFactor;
  }
};

const deriveSlice = async (unit: Unit, { slices, nextSlice }: Pick<PendingRange, 'slices' | 'nextSlice'>) => {
  const { session, network, at } = unit;
  const excess = await computeUnit(unit, { slices, slice: nextSlice });
  if (excess > 1) await recordSlices(session, network, at, { slices: slices * limitFactor, nextSlice: 0 });
  else if (nextSlice + 1 < slices) await recordSlices(session, network, at, { slices, nextSlice: nextSlice + 1 });
  else await finishUnitRanges(session, network, at);
};

const deriveFacts = async (unit: Unit, range: PendingRange, sizes: Sizes): Promise<void> => {
  const { session, network, at } = unit;
  let ranges = range.slices > 1 ? 1 : sizes.of(network);
  for (;;) {
    await createTemporaryTable(session, unitRanges(session), { network, ranges });
    if (range.slices > 1) return deriveSlice(unit, range);
    const excess = await computeUnit(unit, { slices: 1, slice: 0 });
    if (excess <= 1) {
      await finishUnitRanges(session, network, at);
      sizes.set(network, ranges * 2);
      return;
    }
    if (ranges === 1) return deriveSlice(unit, { slices: Math.ceil(excess), nextSlice: 0 });
    // The ranges have different numbers of pairs, so the next attempt takes half of what the average suggests.
    ranges = Math.max(1, Math.floor(ranges / excess / 2));
    sizes.set(network, ranges);
    await dropTemporaryTables(session, [unitRanges(session)]);
  }
};

/**
 * Derives the first time window and returns its number of facts or stale rows. If rows were lost, older versions of them may be visible, so
 * all rows of the window are derived again.
 */
const deriveWindow = async (
  { session, plan, at, network }: Unit,
  range: PendingRange,
  sizes: Sizes,
): Promise<number> => {
  const change = isOfFacts(range) ? undefined : asChange(range);
  const reason = change?.reason ?? 'window';
  for (;;) {
    const maxRows = sizes.of(network);
    const [first, second] = change
      ? await readStaleWindows(session, plan, range.sequence, change, maxRows)
      : await readFactWindows(session, range, maxRows);
    if (first) {
      const params = {
        ...computeParameters(session, { after: at, upTo: at }, change && range.sequence),
        ...windowParameters(first, change ?? { ...range, everything: true }),
      };
      const tooMany = await computeRows(session, plan, { reason, params }, 1, session.shares.unitPairs);
      const excess = tooMany ? sumPairs(tooMany) / session.shares.unitPairs : 1;
      sizes.set(network, excess > 1 ? first.rows / excess / 2 : maxRows * 2);
      if (excess > 1 && first.toMs - first.fromMs > finestWidthMs && first.rows > 1) continue;
      if (excess > 1) await computeRows(session, plan, { reason, params }, Math.ceil(excess));
    }
    await shortenWindow(session, range, at, second?.fromMs);
    return first?.rows ?? 0;
  }
};

/**
 * Removes derived ranges last, so that an interrupted unit is derived again. Returns the number of facts for a range of lost or replayed
 * rows, else 0.
 */
export const derivePendingUnit = async (unit: Unit, range: PendingRange, sizes: UnitSizes): Promise<number> => {
  if (range.cause === 'facts') {
    await deriveFacts(unit, range, sizes.ranges);
    return 0;
  }
  const rows = await deriveWindow(unit, range, sizes.windows);
  return isOfFacts(range) ? rows : 0;
};
