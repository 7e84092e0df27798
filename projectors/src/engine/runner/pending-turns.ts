import { ownsNetwork } from '@popsvc/domain/partitioning';
import { hasServerErrorType, isDataDamaged, isResourceLimitExceeded, isServerError } from '@popsvc/platform/clickhouse';
import type { LostPart } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { type BatchWriter, openBatchSession } from '../batch-writer.ts';
import { createUnitSizes, derivePendingUnit } from '../derive-pending.ts';
import { replayCause } from '@popsvc/read-models/tables';
import { type PendingKind, readNextRange, readPendingNetworks, reviveLatestRanges } from '../pending-ranges.ts';
import type { DerivationShares, RecomputePlan } from '../projection.ts';
import type { RowBudget } from '../row-budget.ts';

export interface PendingTurnsOptions {
  readonly target: BatchWriter;
  /**
   * Undefined if there is no daily budget, the generation is not live, or events of `sinceMs` (ms since 1970) are older than the
   * generation.
   */
  readonly rowBudget: (sinceMs: number) => RowBudget | undefined;
  /** Sequence up to which facts are stored and derived, except pending ranges; undefined while events are folded again. */
  readonly readSequence: () => bigint | undefined;
  /** Time up to which everything received is derived, except pending ranges, in ms since 1970. */
  readonly readAsOfMs: () => number;
  /** The ranges of lost parts must become pending before the parts are recorded. */
  readonly readLostParts: () => Promise<readonly LostPart[]>;
  /** Called when no damaged range of any partition is pending. Returns false if it must be called again. */
  readonly onHealed: (parts: readonly LostPart[]) => Promise<boolean>;
  /** Called if damaged ranges of a network cannot be derived. Throws an error that ends the run. */
  readonly onNotHealed: (network: number, error: unknown) => Promise<never>;
  /** `networks`: number of networks that still have pending ranges. `facts`: as `derivePendingUnit` returns them. */
  readonly onUnit: (networks: number, facts: number) => Promise<void>;
  /** Sequence up to which earlier runs derived rows, if ClickHouse may have lost their latest rows. */
  readonly reviveAt: bigint | undefined;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Networks take turns at deriving their pending ranges. Damaged ranges have turns of their own: they do not keep batches from deriving new
 * facts of their network, and their rows do not count toward its daily budget.
 */
export interface PendingTurns {
  readonly pendingNetworks: number;
  /** `sinceMs`: when the oldest event of the batch was appended, in ms since 1970. */
  openShares(sinceMs: number): DerivationShares;
  recordBatch(shares: DerivationShares): void;
  /** Returns false if no unit may be derived now. */
  deriveUnit(): Promise<boolean>;
  waitFor<Next>(next: Promise<Next>): Promise<Next>;
}

const backOffMs = 60_000;
/** Consecutive failures after which the damaged ranges of a network are given up. A replay then builds the rows. */
const maxFailures = 3;
const pollMs = 1_000;

interface Turn {
  readonly kind: PendingKind;
  readonly network: number;
  failures: number;
  blockedUntil: number;
}

/** Other errors end the run, and damaged or missing tables are then checked. */
const isRetriedLater = (kind: PendingKind, error: unknown): boolean =>
  kind === 'damaged'
    ? isServerError(error) && !isDataDamaged(error) && !hasServerErrorType(error, ['UNKNOWN_TABLE'])
    : isResourceLimitExceeded(error);

export const openPendingTurns = async ({
  target,
  rowBudget,
  readSequence,
  readAsOfMs,
  readLostParts,
  onHealed,
  onNotHealed,
  onUnit,
  reviveAt,
  log,
  signal,
}: PendingTurnsOptions): Promise<PendingTurns> => {
  const { projection, generation, partition, writer, shares: bounds } = target;
  const plan = projection.recomputePlan;
  const shared = {
    projection,
    generation,
    partition,
    rows: <Row>(query: string, params = {}) => writer.rows<Row>(query, { params }),
    run: (query: string, params = {}) => writer.run(query, { params }),
  };
  if (plan && reviveAt !== undefined) await reviveLatestRanges(shared, reviveAt);
  const isOwn = (network: number) => ownsNetwork(partition, network);
  const queue: Turn[] = [];
  const addTurns = (kind: PendingKind, added: Iterable<number>) => {
    for (const network of added)
      if (!queue.some((turn) => turn.network === network && turn.kind === kind))
        queue.push({ kind, network, failures: 0, blockedUntil: 0 });
  };
  if (plan) for (const kind of ['put-off', 'damaged'] as const) addTurns(kind, await readPendingNetworks(shared, kind));
  const putOffNetworks = () => queue.flatMap(({ kind, network }) => (kind === 'put-off' ? [network] : []));
  const countNetworks = () => new Set(queue.map(({ network }) => network)).size;
  const sizes = createUnitSizes(target.maxWindowRows);

  let lost: readonly LostPart[] = [];
  let known = '';
  let readAt = -Infinity;
  const readDamagedRanges = async () => {
    if (performance.now() < readAt + pollMs) return;
    readAt = performance.now();
    // While PostgreSQL is unavailable, the last list is used.
    lost = await readLostParts().catch(() => lost);
    const found = JSON.stringify(lost);
    if (found === known) return;
    // Ranges become pending before their parts are recorded, so the ranges of all parts in `lost` are found here.
    addTurns('damaged', await readPendingNetworks(shared, 'damaged'));
    known = found;
  };
  const finishHealing = async () => {
    if (lost.length === 0 || queue.some(({ kind }) => kind === 'damaged')) return;
    // Other partitions may still have damaged ranges of their networks.
    if ((await readPendingNetworks({ ...shared, partition: { ...partition, index: 0, of: 1 } }, 'damaged')).length > 0)
      return;
    if (await onHealed(lost)) lost = [];
  };

  const createShares = (putOff: Iterable<number>, budget: RowBudget | undefined): DerivationShares => ({
    ...bounds,
    putOff: new Set(putOff),
    onDerived: budget && ((derived) => budget.add(derived)),
  });
  /** Put-off ranges of a network without budget wait, even those whose rows do not count toward the budget. */
  const isDue = ({ kind, network, blockedUntil }: Turn) =>
    blockedUntil <= performance.now() && (kind === 'damaged' || !rowBudget(Date.now())?.isExhausted(network));

  /** Returns the unit's number of facts, or 0 if it failed; undefined if no ranges of this kind are left. */
  const takeTurn = async (turn: Turn, recomputePlan: RecomputePlan, at: bigint): Promise<number | undefined> => {
    const { kind, network } = turn;
    try {
      const range = await readNextRange(shared, network, kind);
      if (!range) return undefined;
      // Rows that were lost do not count a second time.
      const budget = kind === 'put-off' ? rowBudget(range.asOfMs) : undefined;
      const asOfMs = readAsOfMs();
      // Reports may have shown these rows before: the rows were lost, or the live generation has them.
      const validFromMs = kind === 'damaged' || range.cause === replayCause ? 0 : asOfMs;
      const times = { derivedAsOfMs: 0, validFromMs, validToMs: asOfMs, rewritesAll: true };
      const session = openBatchSession({ ...target, shares: createShares([], budget) }, times);
      const facts = await derivePendingUnit({ session, plan: recomputePlan, network, at }, range, sizes);
      Object.assign(turn, { failures: 0, blockedUntil: 0 });
      return facts;
    } catch (error) {
      if (signal.aborted || !isRetriedLater(kind, error)) throw error;
      turn.failures += 1;
      turn.blockedUntil = performance.now() + backOffMs;
      log.warn({ err: error, projection: projection.name, network, kind }, 'a unit of pending ranges failed');
      if (kind === 'damaged' && turn.failures >= maxFailures) await onNotHealed(network, error);
      return 0;
    }
  };

  const deriveUnit = async (): Promise<boolean> => {
    const at = readSequence();
    if (!plan || at === undefined || signal.aborted) return false;
    await readDamagedRanges();
    const turn = queue.find(isDue);
    let facts: number | undefined;
    if (turn) {
      queue.splice(queue.indexOf(turn), 1);
      facts = await takeTurn(turn, plan, at);
      if (facts !== undefined) queue.push(turn);
    }
    await finishHealing();
    if (!turn) return false;
    await rowBudget(Date.now())?.store();
    await onUnit(countNetworks(), facts ?? 0);
    return true;
  };

  return {
    get pendingNetworks() {
      return countNetworks();
    },
    openShares(sinceMs) {
      const budget = rowBudget(sinceMs);
      // The budget also counts networks of this process's other partitions, which this run does not derive.
      return createShares([...putOffNetworks(), ...(budget?.exhausted() ?? [])].filter(isOwn), budget);
    },
    recordBatch: ({ putOff }) => addTurns('put-off', putOff),
    deriveUnit,
    async waitFor(next) {
      const state = { isReady: false, wake: () => {} };
      const settle = () => {
        state.isReady = true;
        state.wake();
      };
      next.then(settle, settle);
      // Lets the callback run if the promise has already settled.
      await Promise.resolve();
      while (plan && !state.isReady) {
        const woken = new Promise<void>((resolve) => {
          state.wake = resolve;
        });
        if (await deriveUnit()) continue;
        const timer = setTimeout(state.wake, pollMs);
        await woken;
        clearTimeout(timer);
      }
      return next;
    },
  };
};
