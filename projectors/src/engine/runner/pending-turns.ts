import { setTimeout as sleep } from 'node:timers/promises';
import { isResourceLimitExceeded } from '@popsvc/platform/clickhouse';
import type { Log } from '@popsvc/platform/telemetry';
import { type BatchWriter, openBatchSession } from '../batch-writer.ts';
import { createUnitSizes, derivePendingUnit } from '../derive-pending.ts';
import { readPendingNetworks, reviveLatestRanges } from '../pending-ranges.ts';
import type { DerivationShares } from '../projection.ts';
import type { RowBudget } from '../row-budget.ts';

export interface PendingTurnsOptions {
  readonly target: BatchWriter;
  /** Limits how many rows a network may derive a day; undefined: no limit, for generations that are not live. */
  readonly rowBudget: () => RowBudget | undefined;
  /** The log position up to which facts are stored and derived; undefined while batches of an earlier run are repeated. */
  readonly readPosition: () => bigint | undefined;
  /** Called after each unit with the number of networks that still have pending ranges. */
  readonly onUnit: (networks: number) => Promise<void>;
  /**
   * Set after ClickHouse restarted: the log position up to which earlier runs derived rows. The ranges that they derived last become
   * pending again, because ClickHouse may have lost their rows.
   */
  readonly reviveAt: bigint | undefined;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Derives pending ranges between batches, one unit a network in turn. */
export interface PendingTurns {
  /** Networks with pending ranges. */
  readonly networks: ReadonlySet<number>;
  /** Creates the bounds of the next batch, which puts off the networks that have pending ranges or no budget left. */
  openShares(): DerivationShares;
  /** Records which networks a batch put off. */
  recordBatch(shares: DerivationShares): void;
  /** Derives one unit. Returns false if no network has a unit to derive. */
  deriveUnit(): Promise<boolean>;
  /** Waits for the next batch and derives units until it is ready. */
  waitFor<Next>(next: Promise<Next>): Promise<Next>;
}

/** Time in ms after which a network is tried again whose unit exceeded ClickHouse's limits. */
const backOffMs = 60_000;
/** Poll interval in ms while the only networks with pending ranges wait for that time. */
const blockedPollMs = 1_000;

/** Opens the pending ranges of a generation, as earlier runs left them. */
export const openPendingTurns = async ({
  target,
  rowBudget,
  readPosition,
  onUnit,
  reviveAt,
  log,
  signal,
}: PendingTurnsOptions): Promise<PendingTurns> => {
  const { projection, generation, writer, shares: bounds } = target;
  const plan = projection.recomputePlan;
  const shared = {
    projection,
    generation,
    rows: <Row>(query: string, params = {}) => writer.rows<Row>(query, { params }),
    run: (query: string, params = {}) => writer.run(query, { params }),
  };
  if (plan && reviveAt !== undefined) await reviveLatestRanges(shared, reviveAt);
  const networks = new Set(plan ? await readPendingNetworks(shared) : []);
  const sizes = createUnitSizes();
  const blockedUntil = new Map<number, number>();

  const openShares = (putOff: Iterable<number>): DerivationShares => {
    const budget = rowBudget();
    return { ...bounds, putOff: new Set(putOff), onDerived: budget && ((derived) => budget.add(derived)) };
  };
  const isDue = (network: number) =>
    !rowBudget()?.isExhausted(network) && (blockedUntil.get(network) ?? 0) <= performance.now();

  const deriveUnit = async (): Promise<boolean> => {
    const at = readPosition();
    const network = [...networks].find(isDue);
    if (!plan || at === undefined || network === undefined || signal.aborted) return false;
    // The network moves to the end, so that networks take turns.
    networks.delete(network);
    networks.add(network);
    const session = openBatchSession({ ...target, shares: openShares([]) }, 0);
    blockedUntil.delete(network);
    try {
      if (!(await derivePendingUnit({ session, plan, network, at }, sizes))) networks.delete(network);
    } catch (error) {
      if (!isResourceLimitExceeded(error)) throw error;
      blockedUntil.set(network, performance.now() + backOffMs);
      log.warn(
        { err: error, projection: projection.name, network },
        'a unit of pending ranges exceeds the limits of ClickHouse',
      );
    }
    await rowBudget()?.store();
    await onUnit(networks.size);
    return true;
  };

  return {
    networks,
    openShares() {
      const budget = rowBudget();
      return openShares(budget ? [...networks, ...budget.exhausted()] : networks);
    },
    recordBatch({ putOff }) {
      for (const network of putOff) networks.add(network);
    },
    deriveUnit,
    async waitFor(next) {
      const state = { isReady: false };
      const settle = () => {
        state.isReady = true;
      };
      next.then(settle, settle);
      // Lets a promise that has already settled run its callback.
      await Promise.resolve();
      while (!state.isReady) {
        if (await deriveUnit()) continue;
        if (blockedUntil.size === 0) break;
        await Promise.race([next.then(settle, settle), sleep(blockedPollMs, undefined, { signal })]).catch(settle);
      }
      return next;
    },
  };
};
