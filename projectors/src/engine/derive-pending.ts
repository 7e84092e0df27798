import { isResourceLimitExceeded } from '@popsvc/platform/clickhouse';
import { computeRows, computeSlice, createTemporaryTable, dropTemporaryTables, sumPairs } from './compute-rows.ts';
import {
  finishUnitRanges,
  type PendingRange,
  readNextRange,
  recordSlices,
  shortenWindow,
  unitRanges,
} from './pending-ranges.ts';
import type { BatchSession, RecomputePlan, StaleWindow } from './projection.ts';
import { computeParameters, readStaleWindows, windowParameters } from './recompute.ts';

/** Maximum number of ranges in one unit. */
const maxRanges = 4_096;

/** Number of ranges that the next unit of a network takes. It doubles while units stay small and shrinks when one is too large. */
export interface UnitSizes {
  of(network: number): number;
  set(network: number, ranges: number): void;
}

export const createUnitSizes = (): UnitSizes => {
  const sizes = new Map<number, number>();
  return {
    of: (network) => sizes.get(network) ?? 64,
    set: (network, ranges) => void sizes.set(network, Math.max(1, Math.min(maxRanges, Math.floor(ranges)))),
  };
};

/** A unit: part of the pending work of one network. `at`: the rows are derived from the facts up to this log position. */
interface Unit {
  readonly session: BatchSession;
  readonly plan: RecomputePlan;
  readonly network: number;
  readonly at: bigint;
}

const asChange = ({ network, fromMs, toMs, cause }: PendingRange): StaleWindow => ({
  network,
  fromMs,
  toMs,
  reason: cause === 'feeders' ? 'feeders' : 'registry',
  everything: cause === 'thresholds',
});

/** Derives the first window of a registry change, and keeps the rest of the change pending. */
const deriveWindow = async ({ session, plan, at }: Unit, range: PendingRange): Promise<void> => {
  const change = asChange(range);
  const [first, second] = await readStaleWindows(session, plan, range.position, change);
  if (first) {
    const { reason } = change;
    const params = {
      ...computeParameters(session, { after: at, upTo: at }, range.position),
      ...windowParameters(first, change),
    };
    const tooMany = await computeRows(session, plan, { reason, params }, 1, session.shares.unitPairs);
    if (tooMany) {
      const slices = Math.ceil(sumPairs(tooMany) / session.shares.unitPairs);
      await computeRows(session, plan, { reason, params }, slices);
    }
  }
  await shortenWindow(session, range, at, second?.fromMs);
};

/** Factor by which a computation that exceeded a limit of ClickHouse is divided further. */
const limitFactor = 16;
const maxSlices = 1_000_000;

/**
 * Computes the rows of `pending_ranges`, or one slice of them. Returns by which factor they exceed a unit; 1 if they were computed.
 */
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

/** Derives one slice of a range that has more pairs than a unit may have. */
const deriveSlice = async (unit: Unit, { slices, nextSlice }: Pick<PendingRange, 'slices' | 'nextSlice'>) => {
  const { session, network, at } = unit;
  const excess = await computeUnit(unit, { slices, slice: nextSlice });
  if (excess > 1) await recordSlices(session, network, at, { slices: slices * limitFactor, nextSlice: 0 });
  else if (nextSlice + 1 < slices) await recordSlices(session, network, at, { slices, nextSlice: nextSlice + 1 });
  else await finishUnitRanges(session, network, at);
};

const deriveFacts = async (unit: Unit, range: PendingRange, sizes: UnitSizes): Promise<void> => {
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
    // The ranges differ in their numbers of pairs, so the next attempt takes half of what the average suggests.
    ranges = Math.max(1, Math.floor(ranges / excess / 2));
    sizes.set(network, ranges);
    await dropTemporaryTables(session, [unitRanges(session)]);
  }
};

/**
 * Derives one unit of a network's pending ranges: as many ranges as have at most `unitPairs` pairs, or one slice of a range with
 * more. Returns false if the network has no pending ranges. A unit that is interrupted is derived again, with the same rows.
 */
export const derivePendingUnit = async (unit: Unit, sizes: UnitSizes): Promise<boolean> => {
  const range = await readNextRange(unit.session, unit.network);
  if (!range) return false;
  await (range.cause === 'facts' ? deriveFacts(unit, range, sizes) : deriveWindow(unit, range));
  return true;
};
