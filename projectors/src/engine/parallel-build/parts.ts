import { randomUUID } from 'node:crypto';
import { parkingStream } from '@popsvc/contracts/events';
import { generationTable } from '@popsvc/platform/clickhouse';
import {
  addTallies,
  advancePart,
  completePart,
  type NewBuildPart,
  readBuild,
  type Tally,
} from '@popsvc/platform/postgres';
import { openBatchSession } from '../batch-writer.ts';
import { readLogRange } from '../event-log.ts';
import { applyOrDecide } from '../parking/event-applier.ts';
import type { BatchSession, PendingInsert, RecomputePlan } from '../projection.ts';
import { recomputeFacts, standardWindowRows } from '../recompute.ts';
import { LeaseLost } from '../run-ended.ts';
import type { PartTask } from './build.ts';

/**
 * Inserts facts. Repeated inserts change nothing. Each insert has its own token: ClickHouse can lose one that repeats a
 * token after a crash.
 */
const writeFacts = async (
  { writer, generation, assertHeld }: Pick<PartTask, 'writer' | 'generation' | 'assertHeld'>,
  inserts: readonly PendingInsert[],
): Promise<void> => {
  assertHeld();
  await Promise.all(
    inserts.map(({ table, batch }) =>
      writer.insert({
        table: generationTable(table, generation),
        columns: Object.keys(table.fields),
        body: batch.body(),
        token: randomUUID(),
      }),
    ),
  );
};

/** Larger than live batches: these rows are not read yet, and fewer inserts are cheaper. */
const partLimits = { rows: 40_000, bytes: 16_000_000 };

interface Written {
  readonly inserts: readonly PendingInsert[];
  readonly reached: bigint;
  readonly to: bigint;
  readonly events: number;
  /** Outcomes of all events of the part so far. */
  readonly tally: Tally | null;
}

/** Writes facts, then the position of the part. A worker killed in between writes the facts again. */
const write = async (task: PartTask, { inserts, reached, to, events, tally }: Written): Promise<void> => {
  await writeFacts(task, inserts);
  await task.assertSameServer();
  if (!(await advancePart(task.postgres, task.key, { ...task.part, reached }, { to, events, tally })))
    throw new LeaseLost('another worker processes this part');
};

/**
 * Folds the events of a part and writes their facts, but nothing derived from them: other parts hold other facts. The
 * next batch fills while one is written.
 */
export const foldPart = async (task: PartTask, signal: AbortSignal): Promise<void> => {
  const { store, projection, part, reader, silenceTimeout, limits = partLimits } = task;
  const { facts } = projection.parallelBuild!;
  const { fold, intake } = await reader.restoreTo(part.reached, signal);
  let [reached, last, events] = [part.reached, part.reached, 0];
  let { tally } = part;
  let writing: Promise<void> = Promise.resolve();
  const isFull = () => fold.pending.rows >= limits.rows || fold.pending.bytes >= limits.bytes || events >= limits.rows;

  const flush = async (to: bigint) => {
    const { inserts } = fold.seal({ after: reached, upTo: to });
    const since = intake.takeTally();
    tally &&= addTallies(tally, since);
    const batch = { inserts: inserts.filter(({ table }) => facts.includes(table)), reached, to, events, tally };
    [reached, events] = [to, 0];
    await writing;
    writing = write(task, batch);
    // The next flush awaits the failure; until then it must not be unhandled.
    writing.catch(() => undefined);
  };

  const stretch = { after: part.reached, upTo: part.ends, prefixes: projection.reads };
  for await (const event of readLogRange(store, stretch, signal, silenceTimeout)) {
    if (isFull()) await flush(last);
    const deciding = applyOrDecide(intake, event);
    if (deciding) await deciding;
    last = event.position;
    events += 1;
  }
  signal.throwIfAborted();
  await flush(part.ends);
  await writing;
  reader.setPosition(part.ends);
};

const networksSql = ({ facts }: RecomputePlan, g: number) =>
  `SELECT DISTINCT network_id AS network FROM ${generationTable(facts.table, g)} ORDER BY network`;

/** Groups adjacent spans into windows of about `most` rows. */
const windowsSql = ({ facts: { table, at, widthMs, where = '1' } }: RecomputePlan, g: number) => `
  SELECT toString(min(begins)) AS starts, toString(max(begins) + ${widthMs}) AS ends, toUInt32(sum(held)) AS held
  FROM (
    SELECT begins, held, intDiv(sum(held) OVER (ORDER BY begins) - 1, {most:UInt32}) AS place
    FROM (
      SELECT ${at} AS begins, count() AS held FROM ${generationTable(table, g)}
      WHERE network_id = {network:UInt64} AND ${where} GROUP BY begins
    )
  )
  GROUP BY place ORDER BY place`;

/**
 * Cuts everything that a plan computes by network and time into windows that fit into the memory of ClickHouse. A span
 * with more rows is computed in slices.
 */
const cutIntoWindows = async (steps: BatchSession, recipe: RecomputePlan): Promise<readonly NewBuildPart[]> => {
  const { generation, maxWindowRows: most } = steps;
  const parts: NewBuildPart[] = [];
  for (const { network } of await steps.rows<{ network: number }>(networksSql(recipe, generation))) {
    const windows = await steps.rows<{ starts: string; ends: string; held: number }>(windowsSql(recipe, generation), {
      network,
      most,
    });
    for (const { starts, ends, held } of windows) {
      const slices = recipe.isSliced ? Math.max(1, Math.round(held / most)) : 1;
      parts.push({ starts: BigInt(starts), ends: BigInt(ends), network, slices });
    }
  }
  return parts;
};

/**
 * Writes what needs all facts and is not cut by time: placements and thresholds at their final state, plays of events
 * that waited in quarantine, and the list of windows to compute.
 */
export const completeFacts = async (task: PartTask, signal: AbortSignal): Promise<void> => {
  const { store, projection, part, reader, postgres, key, limits, silenceTimeout } = task;
  const recipe = projection.parallelBuild?.recompute;
  if (!recipe) {
    await completePart(postgres, key, part);
    return;
  }
  const { fold, intake } = reader.createStateFold(signal);
  const prefixes = [...projection.recalls, parkingStream(projection.name)];
  const stretch = { after: 0n, upTo: part.ends, prefixes };
  for await (const event of readLogRange(store, stretch, signal, silenceTimeout)) await applyOrDecide(intake, event);
  signal.throwIfAborted();
  const { inserts, releaseWaiting } = fold.seal({ after: 0n, upTo: part.ends });
  await writeFacts(task, inserts);
  const steps = openBatchSession({ ...task, maxWindowRows: limits?.maxWindowRows ?? standardWindowRows });
  await releaseWaiting?.(steps);
  const windows = await cutIntoWindows(steps, recipe);
  await task.assertSameServer();
  await completePart(postgres, key, part, windows);
};

/** Computes the rows derived from the facts of a network in a window. Repetition gives the same rows and versions. */
export const computeWindow = async (task: PartTask): Promise<void> => {
  const { projection, part, postgres, key, limits } = task;
  const build = await readBuild(postgres, key);
  if (!build) return;
  const steps = openBatchSession({ ...task, maxWindowRows: limits?.maxWindowRows ?? standardWindowRows });
  const of = { network: part.network, fromMs: Number(part.starts), toMs: Number(part.ends) };
  const whole = { after: 0n, upTo: build.upTo };
  await recomputeFacts(steps, projection.parallelBuild!.recompute!, whole, 'rebuild', of, part.slices);
  await task.assertSameServer();
  await completePart(postgres, key, part);
};
