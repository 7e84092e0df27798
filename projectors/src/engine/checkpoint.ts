import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseWriter, generationTable } from '@popsvc/platform/clickhouse';
import { type CheckpointMove, type CheckpointStore, type LeaseKey, unsyncedWindowMs } from '@popsvc/platform/postgres';
import { progress } from '@popsvc/read-models/tables';
import { type LogIdentity, requireSameLog } from './event-log.ts';
import { LeaseLost } from './run-ended.ts';

/** Where to go on, and what PostgreSQL held when we looked. */
interface ResumePoint {
  readonly position: bigint;
  readonly checkpoint: bigint;
  /** Up to where all that follows from facts was written once; past it there may be facts of a batch of which nothing follows yet. */
  readonly derivedUpTo: bigint;
  /**
   * Where batches that were written or begun after `position` ended. They are cut there again: only the same events in the
   * same batch give the same rows and versions, over what an earlier life left behind or is still writing.
   */
  readonly cuts: readonly bigint[];
}

interface Written {
  readonly reached: string;
  readonly back: string;
  /** When the newest batch was written, by the clock of who wrote it, ms since 1970. */
  readonly newest_ms: number;
  /** For how long the server runs, in whole seconds. */
  readonly uptime: number;
}

const batchesWritten = `${generationTable(progress, 1)}
    WHERE projection = {projection:String} AND generation = {generation:UInt32}`;

/** Under no lease a build says that all before is written: of that, what may be gone is built again and not folded again. */
const writtenSql = `
  WITH (SELECT max(written_at) FROM ${batchesWritten}) AS newest
  SELECT toString(max(pos)) AS reached,
    toString(maxIf(pos, written_at <= newest - toIntervalMillisecond(${unsyncedWindowMs}) OR epoch = 0)) AS back,
    toFloat64(toUnixTimestamp64Milli(newest)) AS newest_ms, toUInt32(uptime()) AS uptime
  FROM ${batchesWritten}`;

const cutsSql = `SELECT DISTINCT toString(pos) AS cut FROM ${batchesWritten} AND pos > {position:UInt64}`;

/**
 * The lower of what PostgreSQL and ClickHouse hold, so that a restored copy of either leaves no hole. When ClickHouse was
 * restarted since the last batch, the last minute is folded again: what was not on disk may be gone.
 * Throws when the checkpoint belongs to another log: its positions mean nothing here, and the read model must be rebuilt.
 */
export const readResumePoint = async (
  { checkpoints, writer, here }: { checkpoints: CheckpointStore; writer: ClickHouseWriter; here: LogIdentity },
  key: LeaseKey,
): Promise<ResumePoint> => {
  const recorded = await checkpoints.read(key);
  const [written] = await writer.rows<Written>(writtenSql, { params: { ...key } });
  const reached = BigInt(written?.reached ?? 0);
  // By the clock of who writes: that of ClickHouse may be another. Too early is a batch too many that is folded again.
  const restarted = written !== undefined && written.newest_ms < Date.now() - written.uptime * 1_000;
  const safe = restarted ? BigInt(written.back) : reached;
  const position = safe < recorded.position ? safe : recorded.position;
  requireSameLog(key, { position, logId: recorded.logId }, here);
  const rows = await writer.rows<{ cut: string }>(cutsSql, { params: { ...key, position: position.toString() } });
  const cuts = new Set([...rows.map(({ cut }) => BigInt(cut)), recorded.begun].filter((cut) => cut > position));
  return {
    position,
    checkpoint: recorded.position,
    derivedUpTo: reached,
    cuts: [...cuts].sort((a, b) => (a < b ? -1 : 1)),
  };
};

/** Between two questions whether a generation is still held. */
const heldMs = 100;

/** Waits while the generation is held; false when the signal comes first. Nothing of the batch is written by then. */
export const announceBatch = async (
  checkpoints: CheckpointStore,
  move: CheckpointMove,
  assertHeld: () => void,
  signal: AbortSignal,
): Promise<boolean> => {
  for (;;) {
    const begun = await checkpoints.beginBatch(move);
    if (begun === 'begun') return true;
    if (begun === 'lost') throw new LeaseLost('the checkpoint was moved by somebody else');
    if (signal.aborted) return false;
    await sleep(heldMs, undefined, { signal }).catch(() => undefined);
    assertHeld();
  }
};
