import { lastSequenceAt } from '@popsvc/contracts/events';
import { compileRowBinary, generationTable } from '@popsvc/platform/clickhouse';
import {
  copyParkedEvents,
  deletePartList,
  type HandledEvent,
  holdLease,
  readGenerations,
  storePartList,
} from '@popsvc/platform/postgres';
import {
  createGenerationTables,
  dropGenerationProgress,
  dropGenerationTables,
  findFactsProblem,
  readActiveParts,
} from '@popsvc/read-models/generations';
import { progress, replayCause } from '@popsvc/read-models/tables';
import type { ProjectionGeneration } from '../dependencies.ts';
import { LogMismatch, readLogIdentity, requireHandledEvent, requireSameLog } from '../event-log.ts';
import { derivedTableOf, type Projection } from '../projection.ts';
import { standardWindowRows } from '../recompute.ts';
import { LeaseLost } from '../run-ended.ts';
import { requireSettled, waitUntilSettled } from './catch-up.ts';
import type { ReplayDependencies } from './dependencies.ts';
import { PermanentReplayError } from './errors.ts';
import { type PausedGeneration, withPausedGeneration } from './pause.ts';
import { attachAllPartitions, forEachTable } from './snapshots.ts';

/** The facts of one network and month. */
interface MonthFacts {
  /** Such as 202608, UTC. */
  readonly month: number;
  readonly network: number;
  readonly facts: number;
}

/** A time range whose rows are derived in one or more units. */
interface DerivedRange {
  readonly network: number;
  readonly lastNetwork: number;
  readonly fromMs: number;
  readonly toMs: number;
}

const startOfMonth = (month: number, later = 0): number => Date.UTC(Math.floor(month / 100), (month % 100) - 1 + later);

/**
 * Groups facts into ranges of a month and consecutive networks with at most `maxFacts` facts, so that a unit derives many small
 * networks at once. A network with more facts has a range of its own, which is derived in several units. `counted` is ordered by month and
 * network.
 */
export const groupFacts = (counted: readonly MonthFacts[], maxFacts: number): readonly DerivedRange[] => {
  const ranges: DerivedRange[] = [];
  let open: { month: number; facts: number } | undefined;
  for (const { month, network, facts } of counted) {
    const last = ranges.at(-1);
    if (last && open?.month === month && open.facts + facts <= maxFacts) {
      ranges[ranges.length - 1] = { ...last, lastNetwork: network };
      open = { month, facts: open.facts + facts };
      continue;
    }
    ranges.push({ network, lastNetwork: network, fromMs: startOfMonth(month), toMs: startOfMonth(month, 1) });
    open = { month, facts };
  }
  return ranges;
};

const pendingRow = (projection: Projection) => compileRowBinary(derivedTableOf(projection).pending.fields);

type Target = ProjectionGeneration & { readonly at: bigint };

/** Makes all facts of the new generation pending. Their rows are derived from the facts up to the position `at`. */
const putOffAllFacts = async ({ writer, limits }: ReplayDependencies, { projection, generation, at }: Target) => {
  const { facts, pending } = derivedTableOf(projection);
  const counted = await writer.rows<MonthFacts>(
    `SELECT toUInt32(toYYYYMM(${facts.startedAt})) AS month, toFloat64(network_id) AS network, toFloat64(count()) AS facts
     FROM ${generationTable(facts.table, generation)} GROUP BY month, network_id ORDER BY month, network_id`,
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
      as_of: 0,
      slices: 1,
      next_slice: 0,
      written_at: Date.now(),
      version: 2n * lastSequenceAt(at),
      is_deleted: 0,
    });
  if (batch.rows === 0) return;
  const token = `${projection.name}:${generation}:${at}:replay`;
  const table = generationTable(pending, generation);
  await writer.insert({ table, columns: Object.keys(pending.fields), body: batch.body(), token });
};

/**
 * Copies the progress of the live generation. After a restart of ClickHouse, a run therefore repeats the same batches as the live one.
 * The column is qualified, because an alias of REPLACE hides the column of its name.
 */
const copyProgress = ({ writer }: ReplayDependencies, from: number, { projection, generation, at }: Target) => {
  const table = generationTable(progress, 1);
  return writer.run(
    `INSERT INTO ${table} SELECT * REPLACE (toUInt32({generation:UInt32}) AS generation) FROM ${table} AS p
     WHERE p.projection = {projection:String} AND p.generation = {from:UInt32} AND p.pos <= {at:UInt64}`,
    { params: { projection: projection.name, generation, from, at: at.toString() } },
  );
};

/** The live generation at the position where it is paused. */
interface CopiedState {
  readonly at: bigint;
  readonly logId: string;
  readonly event: HandledEvent | undefined;
}

/** A copy of facts from one generation to another. `epoch`: of the lease of the replay. */
export interface FactsCopy {
  readonly projection: Projection;
  readonly from: number;
  readonly to: number;
  readonly epoch: bigint;
}

/** Copies the fact tables and the parked events while the live generation is paused. */
const copyPaused = async (
  dependencies: ReplayDependencies,
  { projection, from, to }: FactsCopy,
  paused: PausedGeneration,
): Promise<CopiedState> => {
  const { writer, postgres, checkpoints, store } = dependencies;
  const live = { projection: projection.name, generation: from };
  await requireSettled(dependencies, live);
  const { position: at, logId, event } = await checkpoints.read(live);
  try {
    requireSameLog(live, { position: at, logId }, await readLogIdentity(store));
    await requireHandledEvent(store, live, event);
  } catch (error) {
    if (!(error instanceof LogMismatch)) throw error;
    throw new PermanentReplayError(`${error.message}. The facts cannot be copied; request the replay from the log.`);
  }
  const { table: derived, pending } = derivedTableOf(projection);
  const facts = projection.tables.filter(({ name }) => name !== derived.name && name !== pending.name);
  await forEachTable(facts, async (table) => {
    paused.signal.throwIfAborted();
    await attachAllPartitions(writer, generationTable(table, to), generationTable(table, from));
  });
  await copyParkedEvents(postgres, { projection: projection.name, from, to });
  await paused.confirmPaused();
  return { at, logId, event };
};

/**
 * Copies the facts of the live generation to the new one and makes all their rows pending. The new generation then has the checkpoint
 * of the live one, and its run derives the rows. The checkpoint is written last: an attempt that was interrupted before begins
 * again with empty tables. Does nothing if the facts are already copied, or if the live generation contains none.
 */
export const copyFacts = async (
  dependencies: ReplayDependencies,
  copy: FactsCopy,
  signal: AbortSignal,
): Promise<void> => {
  const { writer, postgres, checkpoints, leases, owner, log } = dependencies;
  const { projection, from, to, epoch } = copy;
  const live = { projection: projection.name, generation: from };
  const key = { projection: projection.name, generation: to };
  if ((await checkpoints.read(key)).position > 0n) return;
  const record = (await readGenerations(postgres)).find(
    ({ projection: name, generation }) => name === live.projection && generation === live.generation,
  );
  const problem = record && findFactsProblem(projection, record);
  if (problem !== undefined)
    throw new PermanentReplayError(`The facts cannot be copied: ${problem}. Request the replay from the log.`);
  const lease = await holdLease(leases, key, owner);
  if (!lease) throw new LeaseLost(`another process writes ${key.projection} generation ${key.generation}`);
  try {
    const target = { projection, generation: to };
    await dropGenerationTables(writer, target);
    await dropGenerationProgress(writer, key);
    await deletePartList(postgres, key);
    await createGenerationTables(writer, target);
    await waitUntilSettled(dependencies, live, signal);
    const { at, logId, event } = await withPausedGeneration(
      dependencies,
      { ...live, epoch },
      (paused) => copyPaused(dependencies, copy, paused),
      signal,
    );
    if (at === 0n) return;
    await putOffAllFacts(dependencies, { ...target, at });
    await copyProgress(dependencies, from, { ...target, at });
    const move = { ...key, epoch: lease.epoch, previous: 0n, to: at, logId };
    const parts = {
      ...key,
      epoch: lease.epoch,
      position: at,
      added: await readActiveParts(writer, target),
      removed: [],
    };
    const isMoved =
      (await checkpoints.beginBatch(move)) === 'begun' &&
      (await storePartList(postgres, parts)) &&
      (await checkpoints.advance({ ...move, parked: [], event }));
    if (!isMoved) throw new LeaseLost(`another process writes ${key.projection} generation ${key.generation}`);
    log.info({ ...key, from: live.generation, position: at.toString() }, 'facts of the live generation copied');
  } finally {
    await lease.release();
  }
};

const dayMs = 86_400_000;

/** Counts the facts of a generation, and reads which UTC days they begin on. */
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

/** Counts the days (since 1970) of which no row is pending. */
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
