import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { lowestPosition } from '@popsvc/platform/event-store';
import type { CheckpointMove, CheckpointStore, HandledEvent } from '@popsvc/platform/postgres';
import { syncDeletions } from '@popsvc/read-models/generations';
import { progressTable } from '@popsvc/read-models/tables';
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
  /**
   * All rows derived from facts up to this log position have been written. After this position, tables may hold an interrupted
   * batch's facts without their derived rows.
   */
  readonly derivedUpTo: bigint;
  /**
   * The end positions, greater than `position`, of batches that earlier runs announced or wrote. The runner must end its batches at
   * the same positions, because only a batch with the same events produces the same rows with the same versions.
   */
  readonly cuts: readonly bigint[];
  /** When the newest projected event was appended, in ms since 1970; 0 if no event has been projected yet. */
  readonly asOfMs: number;
  /** The last event that was handled, without probes; undefined if none was. */
  readonly event: HandledEvent | undefined;
}

interface Written {
  readonly reached: string;
  readonly as_of_ms: number;
  readonly back: string;
  /** When the newest batch was written, by the writer's clock, in ms since 1970. */
  readonly newest_ms: number;
  /** Uptime of the server in whole seconds. */
  readonly uptime: number;
}

const batchesWritten = (projection: string) => `${progressTable(projection)}
    WHERE generation = {generation:UInt32} AND partitions = {partitions:UInt8} AND partition = {partition:UInt8}`;

/**
 * After a restart of ClickHouse, the runner repeats the newest batch and all batches written less than this many ms before it.
 * This protects against disks that acknowledge a sync too early. Other disks lose no data: ClickHouse syncs inserted data to disk
 * before it acknowledges the insert (`fsync_after_insert`). It does not sync merged parts, but Linux writes them to disk within
 * half a minute, and ClickHouse keeps their source parts for eight minutes. A longer window would delay new events: in a test with a
 * window of ten minutes on a loaded machine, a run was still four minutes behind the log six minutes after the restart.
 */
const unsyncedWindowMs = 60_000;

const writtenSql = (projection: string) => `
  WITH (SELECT max(written_at) FROM ${batchesWritten(projection)}) AS newest
  SELECT toString(max(pos)) AS reached, toFloat64(toUnixTimestamp64Milli(max(as_of))) AS as_of_ms,
    toString(maxIf(pos, written_at <= newest - toIntervalMillisecond(${unsyncedWindowMs}))) AS back,
    toFloat64(toUnixTimestamp64Milli(newest)) AS newest_ms, toUInt32(uptime()) AS uptime
  FROM ${batchesWritten(projection)}`;

const cutsSql = (projection: string) =>
  `SELECT DISTINCT toString(pos) AS cut FROM ${batchesWritten(projection)} AND pos > {position:UInt64}`;

/**
 * Determines where a run resumes. It resumes at the lower of the positions stored in PostgreSQL and ClickHouse, so restoring
 * either store from a backup leaves no gap. If ClickHouse has restarted since the last batch, the run folds the most recent
 * batches again because their data may be lost (see `unsyncedWindowMs`), and at least those whose rows are in parts that no list
 * contains (see `openPartRecorder`). Throws `LogMismatch` when the checkpoint belongs to another log than `here`, if given.
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
  // The comparison uses only the clocks of processes that write batches, because ClickHouse's clock may differ from theirs.
  // Detecting a restart by mistake does no harm: batches are repeated, which changes nothing.
  const restarted = written !== undefined && written.newest_ms < Date.now() - written.uptime * 1_000;
  const safe = restarted ? lowestPosition([BigInt(written.back), recorded.partsPosition || reached]) : reached;
  const position = lowestPosition([safe, recorded.position]);
  if (here) requireSameLog(key, { position, logId: recorded.logId }, here);
  const rows = await writer.rows<{ cut: string }>(cutsSql(key.projection), {
    params: { ...key, position: position.toString() },
  });
  const known = [...rows.map(({ cut }) => BigInt(cut)), recorded.position, recorded.begun, ...recorded.cuts];
  const cuts = new Set(known.filter((cut) => cut > position));
  return {
    position,
    checkpoint: recorded.position,
    derivedUpTo: reached,
    cuts: [...cuts].sort((a, b) => (a < b ? -1 : 1)),
    asOfMs: written?.as_of_ms ?? 0,
    event: recorded.event,
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
