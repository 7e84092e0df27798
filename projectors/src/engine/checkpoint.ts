import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { highestPosition, lowestPosition } from '@popsvc/platform/event-store';
import type { CheckpointMove, CheckpointStore, HandledEvent } from '@popsvc/platform/postgres';
import { syncDeletions } from '@popsvc/read-models/generations';
import { progressTable, verifiedRuns } from '@popsvc/read-models/tables';
import type { PartitionKey } from './generation-partitions.ts';
import { type LogIdentity, requireSameLog } from './event-log.ts';
import { LeaseLost } from './run-ended.ts';

/**
 * Where a run continues. It reads the log after `position`. `checkpoint`: the position stored in PostgreSQL. `position` is lower than
 * `checkpoint` if events must be folded again, because ClickHouse may have lost their rows.
 */
export interface ResumePoint {
  readonly position: bigint;
  readonly checkpoint: bigint;
  /** The end of the last batch whose progress is in ClickHouse. */
  readonly reached: bigint;
  /**
   * A batch that ends at or before this position repeats earlier batches (see `readRanks`). It is `reached` or, after a change of the
   * number of partitions, a higher end of a former partition's batch.
   */
  readonly derivedUpTo: bigint;
  /**
   * Positions after `position` at which a batch must end: `reached`, and the ends of batches that earlier runs announced. Tables may
   * contain some rows of the events up to the last cut, and lack others. The cuts no longer apply once the run has caught up with the log.
   *
   * A statement of an announced batch may still be running and insert its rows late. A repeated batch with the same end writes the same or
   * higher versions of these rows, so late rows do not replace newer ones.
   */
  readonly cuts: readonly bigint[];
  /** When the newest projected event was appended, in ms since 1970; 0 if no event has been projected yet. */
  readonly asOfMs: number;
  /** The last event that was handled and is not a probe; undefined if there is none. */
  readonly event: HandledEvent | undefined;
  readonly progress: StoredProgress;
  /** True if ClickHouse restarted since the last batch and may have lost rows of the events between `position` and `reached`. */
  readonly restarted: boolean;
  /**
   * True if former rows may be missing or wrong: `position` is below the checkpoint, or a ClickHouse server outside a cluster restarted and
   * may have lost rows of events after `position`.
   */
  readonly mayLackRows: boolean;
}

/** Columns of the newest progress row of a partition. */
export interface StoredProgress {
  /** The end of the last batch that inserted rows of its events. */
  readonly changed: bigint;
  /** A position up to which all batches were written at least a minute before the newest batch. */
  readonly synced: bigint;
  /** When the newest batch was written, by the clock of the writing process, in ms since 1970. */
  readonly writtenAtMs: number;
  /** In which run of ClickHouse the newest batch was written (see `ServerRun`); 0 if unknown. */
  readonly runAtMs: number;
}

interface Written {
  readonly reached: string;
  readonly as_of_ms: number;
  readonly changed: string;
  readonly synced: string;
  readonly written_at_ms: number;
  /** The run of ClickHouse that wrote the batch up to `reached`; 0 if unknown. */
  readonly run: number;
  readonly current_run: number;
}

const writtenSql = (projection: string) => `
  SELECT toString(max(pos)) AS reached, toFloat64(toUnixTimestamp64Milli(max(as_of))) AS as_of_ms,
    toString(argMax(changed_pos, (pos, written_at))) AS changed, toString(argMax(synced_pos, (pos, written_at))) AS synced,
    toFloat64(toUnixTimestamp64Milli(max(written_at))) AS written_at_ms,
    toFloat64(toUnixTimestamp64Milli(argMax(run_at, (pos, written_at)))) AS run,
    (SELECT toFloat64(toUnixTimestamp64Milli(min(verified_at))) FROM ${verifiedRuns}) AS current_run
  FROM ${progressTable(projection)}
  WHERE generation = {generation:UInt32} AND partitions = {partitions:UInt8} AND partition = {partition:UInt8}`;

/**
 * Determines where a run resumes: at the lower of the positions in PostgreSQL and ClickHouse, so that no events are left out if either was
 * restored from a backup. `here`: the log; undefined: it is not checked. Throws `LogMismatch` if the position is not valid in it.
 *
 * A restart of ClickHouse after the last batch may have lost recent rows. The run then folds again the last batch and those written in the
 * minute before it (see `createProgressWriter`), and all events after the position of the stored list of parts (see `openPartRecorder`).
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
  // A restart counts until the batch up to `reached` is written again: until then, earlier rows may be missing. If another replica wrote
  // that batch, a restart is assumed by mistake. Events are then folded again, which does no harm.
  const restarted = !written?.run || written.run !== written.current_run;
  const safe = restarted ? lowestPosition([BigInt(written?.synced ?? 0), recorded.partsPosition || reached]) : reached;
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
    restarted: safe < reached,
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
 * Announces a batch: records in PostgreSQL that this process is about to write the batch that ends at `move.to`. Waits while the generation
 * is paused. Returns false if the signal aborts meanwhile. Throws `LeaseLost` if this process lost the lease or another one moved the
 * checkpoint.
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
