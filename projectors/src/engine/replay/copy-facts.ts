import { randomUUID } from 'node:crypto';
import { lastSequenceAt } from '@popsvc/contracts/events';
import { compileRowBinary, generationTable } from '@popsvc/platform/clickhouse';
import { lowestPosition } from '@popsvc/platform/event-store';
import {
  copyParkedEvents,
  deletePartList,
  type GenerationRecord,
  storePartList,
  takePartSnapshot,
} from '@popsvc/platform/postgres';
import {
  createGenerationTables,
  dropGenerationProgress,
  dropGenerationTables,
  findFactsProblem,
  readActiveParts,
} from '@popsvc/read-models/generations';
import { replayCause } from '@popsvc/read-models/tables';
import { type ProjectionGeneration, type GenerationPartition, partitionKeyOf } from '../generation-partitions.ts';
import { readResumePoint, type ResumePoint, type StoredProgress } from '../checkpoint.ts';
import { insertProgress } from '../progress-writer.ts';
import { type LogIdentity, LogMismatch, readLogIdentity, requireHandledEvent } from '../event-log.ts';
import { derivedTableOf, type NetworkRange, type Projection } from '../projection.ts';
import { standardWindowRows, type Window } from '../recompute.ts';
import { LeaseLost, openServerRun } from '../run-ended.ts';
import { waitUntilSettled } from './catch-up.ts';
import { isOwnNetwork, partitionParameters } from '../own-networks.ts';
import type { ReplayDependencies } from './dependencies.ts';
import { partitionsOf, withLeases } from './replay-partitions.ts';
import { PermanentReplayError, RetryableReplayError } from './errors.ts';
import { type PausedGeneration, withPausedGeneration } from './pause.ts';
import { attachAllPartitions, forEachTable } from './snapshots.ts';

interface MonthFacts {
  /** Month in UTC, for example 202608. */
  readonly month: number;
  readonly network: number;
  readonly facts: number;
}

const startOfMonth = (month: number, offset = 0): number =>
  Date.UTC(Math.floor(month / 100), (month % 100) - 1 + offset);

type FactsRange = Window & NetworkRange & Pick<MonthFacts, 'month' | 'facts'>;

/**
 * `counted` is ordered by month and network. One range serves many small networks; a network with more than `maxFacts` facts has a range of
 * its own.
 */
export const groupFacts = (counted: readonly MonthFacts[], maxFacts: number): readonly FactsRange[] => {
  const ranges: FactsRange[] = [];
  for (const { month, network, facts } of counted) {
    const last = ranges.at(-1);
    if (last?.month === month && last.facts + facts <= maxFacts)
      ranges[ranges.length - 1] = { ...last, lastNetwork: network, facts: last.facts + facts };
    else
      ranges.push({
        month,
        facts,
        network,
        lastNetwork: network,
        fromMs: startOfMonth(month),
        toMs: startOfMonth(month, 1),
      });
  }
  return ranges;
};

const pendingRow = (projection: Projection) => compileRowBinary(derivedTableOf(projection).pending.fields);

/** `at`: log position up to which the facts were copied. `asOfMs`: when the newest event up to `at` was appended, in ms since 1970. */
interface CopiedPartition {
  readonly target: GenerationPartition;
  readonly at: bigint;
  readonly asOfMs: number;
}

const putOffAllFacts = async ({ writer, limits }: ReplayDependencies, { target, at, asOfMs }: CopiedPartition) => {
  const { projection, generation, partition } = target;
  const { facts, pending } = derivedTableOf(projection);
  const counted = await writer.rows<MonthFacts>(
    `SELECT toUInt32(toYYYYMM(${facts.startedAt})) AS month, toFloat64(network_id) AS network, toFloat64(count()) AS facts
     FROM ${generationTable(facts.table, generation)} WHERE ${isOwnNetwork}
     GROUP BY month, network_id ORDER BY month, network_id`,
    { params: partitionParameters(partition) },
  );
  const batch = pendingRow(projection)();
  for (const { network, lastNetwork, fromMs, toMs } of groupFacts(counted, limits?.maxWindowRows ?? standardWindowRows))
    batch.add({
      network_id: network,
      last_network: lastNetwork,
      screen_id: '',
      from_at: fromMs,
      to_at: toMs,
      cause: replayCause,
      pos: lastSequenceAt(at),
      as_of: asOfMs,
      slices: 1,
      next_slice: 0,
      written_at: Date.now(),
      version: 2n * lastSequenceAt(at),
      is_deleted: 0,
    });
  if (batch.rows === 0) return;
  const table = generationTable(pending, generation);
  await writer.insert({ table, columns: Object.keys(pending.fields), body: batch.body(), token: randomUUID() });
};

/** The new generation takes over the live progress, so that a run of either one repeats the same events after a restart of ClickHouse. */
const copyProgress = (
  { writer }: ReplayDependencies,
  { target, at, asOfMs }: CopiedPartition,
  { changed, synced, runAtMs }: StoredProgress,
  epoch: bigint,
): Promise<void> =>
  insertProgress(
    writer,
    target,
    {
      pos: at,
      as_of: asOfMs,
      changed_pos: lowestPosition([changed, at]),
      synced_pos: lowestPosition([synced, at]),
      run_at: runAtMs,
      epoch,
      written_at: Date.now(),
    },
    randomUUID(),
  );

export interface FactsCopy {
  readonly projection: Projection;
  readonly from: number;
  readonly to: number;
  readonly epoch: bigint;
}

const refuse = (problem: string): never => {
  throw new PermanentReplayError(`The facts cannot be used: ${problem}. Request the replay from the log.`);
};

/**
 * Throws `PermanentReplayError` if the live facts must not be copied. Copies share files with the live tables, so damage that is found
 * later affects both generations.
 */
export const requireFacts = (projection: Projection, live: GenerationRecord | undefined): void => {
  const problem = live && findFactsProblem(projection, live);
  if (problem !== undefined) refuse(problem);
};

type CopiedState = Pick<ResumePoint, 'checkpoint' | 'asOfMs' | 'event' | 'progress'> & Pick<LogIdentity, 'logId'>;

/**
 * Throws `RetryableReplayError` if a restart of ClickHouse may have lost facts, and `LogMismatch` if the generation is not valid in this
 * log.
 */
const readPausedState = async (
  { writer, checkpoints, store }: ReplayDependencies,
  live: GenerationPartition,
): Promise<CopiedState> => {
  const key = partitionKeyOf(live);
  const here = await readLogIdentity(store);
  const resumed = await readResumePoint({ checkpoints, writer, here }, key);
  if (resumed.position < resumed.checkpoint)
    throw new RetryableReplayError(
      'the live generation has not repeated its last batches after a restart of ClickHouse',
    );
  await requireHandledEvent(store, key, resumed.event);
  return { ...resumed, logId: here.logId };
};

/** All partitions of the live generation must be paused. */
const copyPaused = async (
  dependencies: ReplayDependencies,
  { projection, from, to }: FactsCopy,
  paused: PausedGeneration,
): Promise<readonly CopiedState[]> => {
  const { writer, postgres } = dependencies;
  const states: CopiedState[] = [];
  for (const target of partitionsOf(dependencies, { projection, generation: from }))
    states.push(await readPausedState(dependencies, target));
  const { table, history, pending } = derivedTableOf(projection);
  const derived = [table, history, pending].map(({ name }) => name);
  const facts = projection.tables.filter(({ name }) => !derived.includes(name));
  await forEachTable(facts, async (fact) => {
    paused.signal.throwIfAborted();
    await attachAllPartitions(writer, generationTable(fact, to), generationTable(fact, from));
  });
  await copyParkedEvents(postgres, { projection: projection.name, from, to });
  await paused.confirmPaused();
  return states;
};

/**
 * Copies the live facts and makes all their rows pending. Writes checkpoints last, so that an interrupted attempt begins again with empty
 * tables.
 */
export const copyFacts = async (
  dependencies: ReplayDependencies,
  copy: FactsCopy,
  signal: AbortSignal,
): Promise<void> => {
  const { writer, postgres, checkpoints, log } = dependencies;
  const { projection, from, to, epoch } = copy;
  const live = { projection: projection.name, generation: from };
  const key = { projection: projection.name, generation: to };
  const isWrittenElsewhere = () =>
    new LeaseLost(`another process writes ${key.projection} generation ${key.generation}`);
  const partitions = partitionsOf(dependencies, { projection, generation: to });
  const readPositions = () =>
    Promise.all(partitions.map(async (target) => (await checkpoints.read(partitionKeyOf(target))).position));
  if ((await readPositions()).every((position) => position > 0n)) return;
  const isCopied = await withLeases(dependencies, partitions, async (held) => {
    const newGeneration = { projection, generation: to };
    await dropGenerationTables(writer, newGeneration);
    await dropGenerationProgress(writer, key);
    await deletePartList(postgres, key);
    await createGenerationTables(writer, newGeneration);
    const livePartitions = partitionsOf(dependencies, { projection, generation: from });
    const written = await waitUntilSettled(dependencies, livePartitions, signal);
    if (!written.isSettled)
      throw new RetryableReplayError(
        'the live generation makes no progress, and its last batch is incomplete; the replay continues when that batch is complete',
      );
    const serverRun = await openServerRun(writer);
    const states = await withPausedGeneration(
      dependencies,
      { projection, generation: from, epoch },
      async (paused) => {
        await written.confirm();
        return copyPaused(dependencies, copy, paused);
      },
      signal,
    ).catch((error: unknown) => {
      if (error instanceof LogMismatch) return refuse(error.reason);
      throw error;
    });
    if (states.every(({ checkpoint }) => checkpoint === 0n)) return;
    if (states.some(({ checkpoint }) => checkpoint === 0n))
      throw new RetryableReplayError('a partition of the live generation has folded no event yet');
    for (const [index, target] of partitions.entries()) {
      const { checkpoint: at, asOfMs, progress } = states[index]!;
      const copied = { target, at, asOfMs };
      await putOffAllFacts(dependencies, copied);
      await copyProgress(dependencies, copied, progress, held[index]!.epoch);
    }
    const snapshot = await takePartSnapshot(postgres, key, () => readActiveParts(writer, newGeneration));
    await serverRun.assertSame();
    // An earlier attempt that was interrupted here may have stored some checkpoints.
    const previous = await readPositions();
    for (const [index, target] of partitions.entries()) {
      const { checkpoint: at, logId, event } = states[index]!;
      const { epoch: leaseEpoch } = held[index]!;
      const partitionKey = partitionKeyOf(target);
      const move = { ...partitionKey, epoch: leaseEpoch, previous: previous[index]!, to: at, logId };
      const isMoved =
        (await checkpoints.beginBatch(move)) === 'begun' &&
        (await storePartList(postgres, { ...partitionKey, epoch: leaseEpoch, position: at, snapshot })) &&
        (await checkpoints.advance({ ...move, parked: [], event }));
      if (!isMoved) throw isWrittenElsewhere();
    }
    const positions = states.map(({ checkpoint }) => checkpoint.toString());
    log.info({ ...key, from: live.generation, positions }, 'facts of the live generation copied');
  });
  if (!isCopied) throw isWrittenElsewhere();
};

const dayMs = 86_400_000;

export const readFactDays = async (
  { writer }: Pick<ReplayDependencies, 'writer'>,
  { projection, generation }: ProjectionGeneration,
): Promise<{ readonly facts: number; readonly days: readonly number[] }> => {
  const { facts } = derivedTableOf(projection);
  const rows = await writer.rows<{ day: number; facts: number }>(
    `SELECT toFloat64(intDiv(toUnixTimestamp64Milli(${facts.startedAt}), ${dayMs})) AS day, toFloat64(count()) AS facts
     FROM ${generationTable(facts.table, generation)} GROUP BY day`,
  );
  return { facts: rows.reduce((sum, row) => sum + row.facts, 0), days: rows.map(({ day }) => day) };
};

/** `days`: numbers of UTC days since 1970. */
export const countDerivedDays = async (
  { writer }: Pick<ReplayDependencies, 'writer'>,
  { projection, generation }: ProjectionGeneration,
  days: readonly number[],
): Promise<number> => {
  const pending = await writer.rows<{ from: number; to: number }>(
    `SELECT DISTINCT toFloat64(toUnixTimestamp64Milli(from_at)) AS from, toFloat64(toUnixTimestamp64Milli(to_at)) AS to
     FROM ${generationTable(derivedTableOf(projection).pending, generation)} FINAL`,
  );
  return days.filter((day) => !pending.some(({ from, to }) => from < (day + 1) * dayMs && to > day * dayMs)).length;
};
