import { randomUUID } from 'node:crypto';
import { lastSequenceAt } from '@popsvc/contracts/events';
import { nameInShard, selectStreams } from '@popsvc/domain/partitioning';
import { hasServerErrorType, isDataDamaged } from '@popsvc/platform/clickhouse';
import {
  type HeldLease,
  holdLease,
  readLostParts,
  recordDamage,
  recordLogChange,
  suspectTables,
} from '@popsvc/platform/postgres';
import { reachFailPoint } from '@popsvc/platform/runtime';
import { runInSpan } from '@popsvc/platform/telemetry';
import { pinToReplica, shortenHistory } from '@popsvc/read-models/generations';
import pRetry from 'p-retry';
import { type BatchWriter, endFormerDerivations, isWorthRetrying, writeBatch } from '../batch-writer.ts';
import { type Batch, liveBatchLimits } from '../batch.ts';
import { announceBatch, readResumePoint } from '../checkpoint.ts';
import type { RunnerDependencies } from '../dependencies.ts';
import { type GenerationPartition, partitionKeyOf } from '../generation-partitions.ts';
import { failWhenSilent, LogMismatch, readLogIdentity, requireHandledEvent } from '../event-log.ts';
import { readDecisions } from '../parking/decisions.ts';
import { createEventApplier, type EventApplier } from '../parking/event-applier.ts';
import { ParkingLimitReached } from '../parking/parking-errors.ts';
import { createParkingLimit } from '../parking/parking-limit.ts';
import { restoreState } from '../parking/restore-state.ts';
import { DamagedTables, openPartRecorder } from '../part-recorder.ts';
import { derivedTableOf, type Fold } from '../projection.ts';
import { readRanks, standardPairs, standardWindowRows } from '../recompute.ts';
import { LeaseLost, openServerRun } from '../run-ended.ts';
import { createProgressWriter } from '../progress-writer.ts';
import { openPendingTurns } from './pending-turns.ts';
import { collectTraceContexts, describeBatchSpan } from './tracing.ts';
import { readBatches } from './batches.ts';

type FoldDependencies = Pick<RunnerDependencies, 'store' | 'checkpoints' | 'log' | 'poisonPolicy'>;

const startFold = async (
  { store, checkpoints, log, poisonPolicy = 'park' }: FoldDependencies,
  target: GenerationPartition,
  upTo: bigint,
  signal: AbortSignal,
): Promise<{ readonly fold: Fold; readonly applier: EventApplier }> => {
  const { projection, partition } = target;
  const fold = projection.createFold(partition);
  const parking = await checkpoints.readParking(partitionKeyOf(target), lastSequenceAt(upTo));
  const decisions = await readDecisions(store, projection.name, { readUpTo: upTo, parked: parking.skipped });
  await restoreState(store, projection, fold, upTo, decisions, signal);
  const applier = createEventApplier({
    store,
    projection,
    partition,
    fold,
    decisions,
    parkingLimit: createParkingLimit(parking.parkedInLastMinute),
    isParkingStopped: parking.stoppedAt !== undefined,
    poisonPolicy,
    log,
  });
  return { fold, applier };
};

/** A failed write is retried after 250 ms, and once more after another 500 ms. */
const writeRetries = { retries: 2, minTimeout: 250, factor: 2 };

/** After a restart of ClickHouse, the tables must be verified before rows are derived from them. */
const retryWrite = (write: () => Promise<void>, assertSameServer: () => Promise<void>): Promise<void> =>
  pRetry(
    async (attempt) => {
      if (attempt > 1) await assertSameServer();
      await write();
    },
    { ...writeRetries, shouldRetry: ({ error }) => isWorthRetrying(error) },
  );

const handBackPollMs = 500;

/** The returned signal aborts when the partition must be handed back. Statements of the current batch use `signal`, so they continue. */
const pollHandBack = ({ shouldHandBack }: RunnerDependencies, signal: AbortSignal) => {
  const handBack = new AbortController();
  const timer = setInterval(() => {
    if (shouldHandBack?.()) handBack.abort();
  }, handBackPollMs);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return AbortSignal.any([signal, handBack.signal]);
};

const maxProblemLength = 300;

const describeError = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, maxProblemLength);

const projectBatches = async (
  dependencies: RunnerDependencies,
  target: GenerationPartition,
  lease: HeldLease,
  signal: AbortSignal,
) => {
  const { store, writer, checkpoints, log, limits = liveBatchLimits } = dependencies;
  const { projection, partition } = target;
  const key = partitionKeyOf(target);
  await writer.assertSettings();
  const serverRun = await openServerRun(writer);
  const assertSameServer = serverRun.assertSame;
  const logIdentity = await readLogIdentity(store);
  await endFormerDerivations(writer, key);
  const resumed = await readResumePoint({ checkpoints, writer, here: logIdentity }, key);
  const { position, checkpoint, cuts, event, reached, derivedUpTo } = resumed;
  if (resumed.mayLackRows) await shortenHistory(writer, target);
  await requireHandledEvent(store, key, event);
  // Throws before any row is derived if the tables have damage that only a replay can repair.
  const parts = await openPartRecorder(dependencies, target, lease.epoch);
  dependencies.onResumed?.(resumed);
  const { fold, applier } = await startFold(dependencies, target, position, signal);
  log.info({ ...key, position: position.toString() }, 'projection run started');
  const assertHeld = () => {
    if (!lease.isHeld()) throw new LeaseLost('the lease expired');
  };
  const runId = randomUUID();
  const {
    maxWindowRows = standardWindowRows,
    unitPairs = standardPairs.unit,
    batchPairs = standardPairs.batch,
  } = limits;
  const batchTarget: BatchWriter = {
    ...target,
    maxWindowRows,
    derivedUpTo: lastSequenceAt(derivedUpTo),
    nextRank: await readRanks(writer, target, lastSequenceAt(derivedUpTo)),
    writer,
    runId,
    writeProgress: createProgressWriter(target, { writer, serverRun, epoch: lease.epoch, runId }, resumed),
    shares: { unitPairs, batchPairs, putOff: new Set() },
    signal,
    assertHeld,
    assertSameServer,
  };
  const streams = selectStreams(projection.streams, partition);
  const after = position === 0n ? 'start' : position;
  const reading = pollHandBack(dependencies, signal);
  const subscribed = failWhenSilent(
    (ending) => store.subscribe({ after, ...streams, signal: ending }),
    reading,
    dependencies.silenceTimeout,
  );
  // The limit is applied after the silence timeout, so the log does not count as silent while an event waits for the limit.
  const limited = dependencies.limitEvents ? dependencies.limitEvents(subscribed, reading) : subscribed;
  const tracedSource = collectTraceContexts(limited);
  let previous = checkpoint;
  // If events are folded again, the checkpoint is higher until the first batch moves it back.
  let writtenTo = position;
  let { asOfMs } = resumed;
  const lastCut = cuts.at(-1) ?? position;
  const turns = await openPendingTurns({
    target: batchTarget,
    rowBudget: (sinceMs) => dependencies.rowBudget?.(sinceMs),
    // While events are folded again, tables may lack their facts and contain rows of later positions.
    readSequence: () => (writtenTo >= lastCut ? lastSequenceAt(writtenTo) : undefined),
    readAsOfMs: () => asOfMs,
    readLostParts: () => readLostParts(dependencies.postgres, key),
    onHealed: (lost) => parts.recordHealed(lost, writtenTo, assertSameServer),
    onNotHealed: async (network, error) => {
      const problem = `lost rows of network ${network} cannot be derived again: ${describeError(error)}`;
      const damage = {
        table: derivedTableOf(projection).table.name,
        part: null,
        problem,
        found_at: new Date().toISOString(),
      };
      await recordDamage(dependencies.postgres, key, [damage], new Map([[partition.index, previous]]));
      throw new DamagedTables(target, [damage]);
    },
    onUnit: async (networks, facts) => {
      dependencies.onUnit?.(projection, networks, facts);
      await parts.rowsWritten(writtenTo);
    },
    reviveAt: resumed.repeatsBatches ? lastSequenceAt(reached) : undefined,
    log,
    signal,
  });
  dependencies.onPending?.(projection, turns.pendingNetworks);
  /** Returns false if the signal aborts before the announcement. */
  const commitBatch = async (batch: Batch): Promise<boolean> => {
    const { upTo, parked, settled, event: handled } = batch;
    const move = {
      ...key,
      epoch: lease.epoch,
      previous,
      to: upTo,
      logId: logIdentity.logId || (await store.readLogId()),
    };
    reachFailPoint('before-begin', projection.name);
    if (!(await announceBatch(checkpoints, move, assertHeld, signal))) return false;
    const shares = turns.openShares(batch.sinceMs);
    await retryWrite(() => writeBatch({ ...batchTarget, shares }, batch.sealed, batch), assertSameServer);
    turns.recordBatch(shares);
    if (!(await checkpoints.advance({ ...move, parked, settled, event: handled })))
      throw new LeaseLost('another process moved the checkpoint');
    reachFailPoint('after-checkpoint', projection.name);
    await dependencies.rowBudget?.(batch.sinceMs)?.store();
    return true;
  };
  const batches = readBatches(tracedSource.source, fold, applier, { start: position, cuts, limits, partition });
  try {
    for (;;) {
      const next = await turns.waitFor(batches.next());
      if (next.done) break;
      const batch = next.value;
      const span = () => describeBatchSpan(target, batch, tracedSource.takeUpTo(batch.upTo));
      if (!(await runInSpan(span, () => commitBatch(batch)))) break;
      previous = batch.upTo;
      dependencies.onBatch?.(projection, batch, target, turns.pendingNetworks);
      writtenTo = batch.upTo;
      asOfMs = Math.max(asOfMs, batch.asOfMs);
      await parts.rowsWritten(writtenTo);
      // One unit of pending ranges after each batch, so that they progress even if the next batch is always ready.
      await turns.deriveUnit();
      if (reading.aborted) break;
    }
  } catch (error) {
    // The running statement is cancelled. The next run repeats its batch or unit.
    if (!signal.aborted || error instanceof ParkingLimitReached) throw error;
  } finally {
    // Not awaited: the generator may wait for an event. It ends when `runProjection` aborts the subscription.
    void batches.return(undefined).catch(() => undefined);
  }
  if (reading.aborted && !signal.aborted) log.info(key, 'partition handed back to its preferred process');
  await parts.finish(writtenTo, assertSameServer);
};

/**
 * Returns when the signal aborts or the partition is handed back. Throws if it cannot continue; the next run determines the resume point
 * again.
 */
export const runProjection = async (
  dependencies: RunnerDependencies,
  target: GenerationPartition,
  signal: AbortSignal,
): Promise<void> => {
  const { projection } = target;
  const key = partitionKeyOf(target);
  const lease = await holdLease(
    dependencies.leases,
    key,
    dependencies.owner,
    dependencies.leaseMs,
    dependencies.preference?.(),
  );
  if (!lease) throw new LeaseLost('another process holds the lease');
  // Temporary tables exist only on one replica. After a failure, the next run may use another one.
  const pinned = async () => ({ ...dependencies, writer: await pinToReplica(dependencies.writer, projection.name) });
  const runEnd = new AbortController();
  try {
    await projectBatches(await pinned(), target, lease, AbortSignal.any([signal, runEnd.signal]));
  } catch (error) {
    if (error instanceof ParkingLimitReached) await dependencies.checkpoints.stopParking(key, error.position);
    if (error instanceof LogMismatch) {
      // The checkpoint does not move until the projection is rebuilt, so the change is listed once.
      const { position } = await dependencies.checkpoints.read(key);
      await recordLogChange(
        dependencies.postgres,
        `${key.projection} generation ${key.generation} partition ${key.partition} is ahead of the log at ${position}`,
      );
    }
    if (isDataDamaged(error) || hasServerErrorType(error, ['UNKNOWN_TABLE'])) {
      const tables = projection.tables.map(({ name }) => nameInShard(name, projection.shard));
      dependencies.log.error(
        { err: error, ...key },
        'statement found damaged data or no table; check of the tables requested',
      );
      await suspectTables(dependencies.postgres, tables, describeError(error)).catch((err: unknown) =>
        dependencies.log.error({ err, ...key }, 'failed to request a check of the tables'),
      );
    }
    throw error;
  } finally {
    runEnd.abort();
    await lease.release();
  }
};
