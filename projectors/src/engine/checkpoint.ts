import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { highestPosition, lowestPosition } from '@popsvc/platform/event-store';
import type { CheckpointMove, CheckpointStore, HandledEvent } from '@popsvc/platform/postgres';
import { syncDeletions } from '@popsvc/read-models/generations';
import { currentRunSql, progressTable } from '@popsvc/read-models/tables';
import type { PartitionKey } from './generation-partitions.ts';
import { type LogIdentity, requireSameLog } from './event-log.ts';
import { LeaseLost } from './run-ended.ts';

/**
 * `position`: the run reads the log after it. `checkpoint`: the position in PostgreSQL, which can be higher, because ClickHouse may have
 * lost rows.
 */
export interface ResumePoint {
  readonly position: bigint;
  readonly checkpoint: bigint;
  /** End of the last batch whose progress is in ClickHouse. */
  readonly reached: bigint;
  /** A batch that ends at or before this position repeats an earlier batch. */
  readonly derivedUpTo: bigint;
  /**
   * Batches must end at these positions, because earlier batches ended there. With another end, a late insert of an earlier run could
   * replace newer rows.
   */
  readonly cuts: readonly bigint[];
  /** When the newest projected event was appended, in ms since 1970; 0 if there is none. */
  readonly asOfMs: number;
  readonly event: HandledEvent | undefined;
  readonly progress: StoredProgress;
  /** Whether batches up to `reached` are repeated, because ClickHouse may have lost their rows. */
  readonly repeatsBatches: boolean;
  /** Whether replaced rows may be missing from the history. Reports of a time before this run are then refused. */
  readonly mayLackRows: boolean;
}

export interface StoredProgress {
  /** End of the last batch that inserted rows of its events. */
  readonly changed: bigint;
  /** Log position up to which all rows count as synced to disk. */
  readonly synced: bigint;
  /** By the clock of the writing process, in ms since 1970. */
  readonly writtenAtMs: number;
  /** Run of ClickHouse in which the newest batch was written; 0 if unknown. */
  readonly runAtMs: number;
}

interface Written {
  readonly reached: string;
  readonly as_of_ms: number;
  readonly changed: string;
  readonly synced: string;
  readonly written_at_ms: number;
  readonly run: number;
  readonly current_run: number;
}

const writtenSql = (projection: string) => `
  SELECT toString(max(pos)) AS reached, toFloat64(toUnixTimestamp64Milli(max(as_of))) AS as_of_ms,
    toString(argMax(changed_pos, (pos, written_at))) AS changed, toString(argMax(synced_pos, (pos, written_at))) AS synced,
    toFloat64(toUnixTimestamp64Milli(max(written_at))) AS written_at_ms,
    toFloat64(toUnixTimestamp64Milli(argMax(run_at, (pos, written_at)))) AS run,
    (${currentRunSql}) AS current_run
  FROM ${progressTable(projection)}
  WHERE generation = {generation:UInt32} AND partitions = {partitions:UInt8} AND partition = {partition:UInt8}`;

/**
 * A run resumes no later than the lower of the positions in PostgreSQL and ClickHouse, because either may be restored from a backup. Throws
 * `LogMismatch` if the resume position is not valid in the log `here`.
 */
export const readResumePoint = async (
  {
    checkpoints,
    writer,
    here,
  }: { checkpoints: CheckpointStore; writer: ClickHouseWriter; here: LogIdentity | undefined },
  key: PartitionKey,
): Promise<ResumePoint> => {
  const recorded = await checkpoints.read(key);
  // Deleted progress must not count, even if another replica executed the deletion.
  await syncDeletions(writer, progressTable(key.projection));
  const [written] = await writer.rows<Written>(writtenSql(key.projection), { params: { ...key } });
  const reached = BigInt(written?.reached ?? 0);
  // `run` belongs to the batch up to `reached`, so it stays another run until that batch is written again.
  const isOtherRun = !written?.run || written.run !== written.current_run;
  const safe = isOtherRun ? lowestPosition([BigInt(written?.synced ?? 0), recorded.partsPosition || reached]) : reached;
  const position = lowestPosition([safe, recorded.position]);
  if (here) requireSameLog(key, { position, logId: recorded.logId }, here);
  const cuts = new Set([reached, recorded.begun, ...recorded.cuts].filter((cut) => cut > position));
  return {
    position,
    checkpoint: recorded.position,
    reached,
    derivedUpTo: highestPosition([reached, ...recorded.cuts]),
    cuts: [...cuts].sort((a, b) => (a < b ? -1 : 1)),
    asOfMs: written?.as_of_ms ?? 0,
    event: recorded.event,
    repeatsBatches: safe < reached,
    mayLackRows: (safe < reached && writer.cluster === undefined) || position < recorded.position,
    progress: {
      changed: BigInt(written?.changed ?? 0),
      synced: BigInt(written?.synced ?? 0),
      writtenAtMs: written?.written_at_ms ?? 0,
      runAtMs: written?.run ?? 0,
    },
  };
};

const pausePollMs = 100;

/**
 * Returns false if the signal aborts while the generation is paused. Throws `LeaseLost` if this process lost the lease or another one moved
 * the checkpoint.
 */
export const announceBatch = async (
  checkpoints: CheckpointStore,
  move: CheckpointMove,
  assertHeld: () => void,
  signal: AbortSignal,
): Promise<boolean> => {
  for (;;) {
    const begun = await checkpoints.beginBatch(move);
    if (begun === 'begun') return true;
    if (begun === 'lost') throw new LeaseLost('another process moved the checkpoint');
    if (signal.aborted) return false;
    await sleep(pausePollMs, undefined, { signal }).catch(() => undefined);
    assertHeld();
  }
};
