import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { highestPosition, lowestPosition } from '@popsvc/platform/event-store';
import type { CheckpointMove, CheckpointStore, HandledEvent } from '@popsvc/platform/postgres';
import { syncDeletions } from '@popsvc/read-models/generations';
import { progressTable, verifiedRuns } from '@popsvc/read-models/tables';
import type { UnitKey } from './units.ts';
import { type LogIdentity, requireSameLog } from './event-log.ts';
import { LeaseLost } from './run-ended.ts';

/**
 * Where a run continues. The run reads the log after `position`. `checkpoint` is the position stored in PostgreSQL. `position` is
 * lower than `checkpoint` when batches must be folded again because ClickHouse may have lost their rows.
 */
export interface ResumePoint {
  readonly position: bigint;
  readonly checkpoint: bigint;
  /** The end of the last batch whose progress is in ClickHouse. */
  readonly reached: bigint;
  /**
   * A batch that ends at or before this position repeats earlier ones (see `readRanks`). The position is `reached`, or a higher cut that
   * a change of the number of partitions left. After it, tables may hold facts of an announced batch without their derived rows.
   */
  readonly derivedUpTo: bigint;
  /**
   * Positions after `position` at which batches must end: `reached`, and the ends of batches that earlier runs announced. Tables may
   * contain rows of events up to the last of them, and lack others. Once the run has caught up with the log, the cuts no longer apply.
   *
   * A statement of an announced batch may still be running and insert its rows late. Those of a batch with the same end have the same
   * or higher versions, so they count.
   */
  readonly cuts: readonly bigint[];
  /** When the newest projected event was appended, in ms since 1970; 0 if no event has been projected yet. */
  readonly asOfMs: number;
  /** The last event that was handled, without probes; undefined if none was. */
  readonly event: HandledEvent | undefined;
  readonly progress: StoredProgress;
  /** True if tables may lack rows of events after `position` that they had before: ClickHouse restarted, or is an older copy. */
  readonly mayLackRows: boolean;
}

/** What a row of progress contains besides the position. */
export interface StoredProgress {
  /** The end of the last batch with facts. */
  readonly changed: bigint;
  /** The end of the last batch that was written at least a minute before the newest one. */
  readonly synced: bigint;
  /** When the newest batch was written, by the writer's clock, in ms since 1970. */
  readonly writtenAtMs: number;
  /** The run of ClickHouse in which the newest batch was written (see `ServerRun`); 0 if unknown. */
  readonly runAtMs: number;
}

interface Written {
  readonly reached: string;
  readonly as_of_ms: number;
  readonly changed: string;
  readonly synced: string;
  readonly written_at_ms: number;
  /** The run of ClickHouse that wrote the batch up to `reached`, and the current one; 0 if unknown. */
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
 * Determines where a run resumes: at the lower of the positions in PostgreSQL and ClickHouse, so restoring either store from a backup
 * leaves no gap. Throws `LogMismatch` if that position is not valid in the log `here`; without `here`, the log is not checked.
 *
 * If ClickHouse has restarted since the last batch, recent rows may be lost. The run then folds the batches of the last minute again
 * (see `createProgressWriter`), and all batches after the stored list of parts (see `openPartRecorder`).
 */
export const readResumePoint = async (
  {
    checkpoints,
    writer,
    here,
  }: { checkpoints: CheckpointStore; writer: ClickHouseWriter; here: LogIdentity | undefined },
  key: UnitKey,
): Promise<ResumePoint> => {
  const recorded = await checkpoints.read(key);
  // Progress that was deleted must not count, also if another replica executed the deletion.
  await syncDeletions(writer, progressTable(key.projection));
  const [written] = await writer.rows<Written>(writtenSql(key.projection), { params: { ...key } });
  const reached = BigInt(written?.reached ?? 0);
  // A restart counts until the batch up to `reached` is written again: until then, rows before it may be missing. If a restart is
  // assumed by mistake, for example because another replica wrote the batch, events are only folded again.
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
    mayLackRows: (restarted && safe < reached && writer.cluster === undefined) || position < recorded.position,
    progress: {
      changed: BigInt(written?.changed ?? 0),
      synced: BigInt(written?.synced ?? 0),
      writtenAtMs: written?.written_at_ms ?? 0,
      runAtMs: written?.run ?? 0,
    },
  };
};

/** Poll interval while the generation is paused, in ms. */
const heldMs = 100;

/**
 * Announces a batch: records in PostgreSQL that this process is about to write the batch that ends at `move.to`. Waits while
 * the generation is paused. Returns false when the signal aborts first. Throws `LeaseLost` when another process moved the
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
    await sleep(heldMs, undefined, { signal }).catch(() => undefined);
    assertHeld();
  }
};
