import { compileRowBinary, type ClickHouseWriter, generationTable } from '@popsvc/platform/clickhouse';
import { lowestPosition } from '@popsvc/platform/event-store';
import { progressOf } from '@popsvc/read-models/tables';
import type { ResumePoint } from './checkpoint.ts';
import type { SealedBatch } from './projection.ts';
import type { ServerRun } from './run-ended.ts';
import type { GenerationPartition } from './generation-partitions.ts';

/** Stores in ClickHouse that a batch is written; `upTo` is its end. */
export type WriteProgress = (
  batch: { readonly upTo: bigint; readonly asOfMs: number },
  sealed: Pick<SealedBatch, 'inserts'>,
) => Promise<void>;

/**
 * After a restart of ClickHouse, the runner repeats the newest batch and all batches written less than this many ms before it. This
 * protects against disks that acknowledge a sync too early. Other disks lose no data: ClickHouse syncs an insert before it acknowledges it
 * (`fsync_after_insert`), and keeps the source parts of a merge for eight minutes.
 *
 * Linux writes other data, such as merged parts, to the disk within half a minute. A longer window would delay new events after a restart.
 */
const unsyncedWindowMs = 60_000;

/**
 * Columns of a progress row besides its key: positions in the log, times in ms since 1970, and the fencing token of the lease (`epoch`).
 */
interface ProgressColumns {
  readonly pos: bigint;
  readonly as_of: number;
  readonly changed_pos: bigint;
  readonly synced_pos: bigint;
  readonly run_at: number;
  readonly epoch: bigint;
  readonly written_at: number;
}

/** Inserts a progress row. `token`: insert deduplication token; a repeated insert with the same token has no effect. */
export const insertProgress = (
  writer: ClickHouseWriter,
  { projection, generation, partition }: GenerationPartition,
  row: ProgressColumns,
  token: string,
): Promise<void> => {
  const table = progressOf(projection.name);
  const batch = compileRowBinary(table.fields)();
  batch.add({ generation, partitions: partition.of, partition: partition.index, ...row });
  const columns = Object.keys(table.fields);
  return writer.insert({ table: generationTable(table, 1), columns, body: batch.body(), token });
};

interface ProgressTarget {
  readonly writer: ClickHouseWriter;
  readonly serverRun: Pick<ServerRun, 'id'>;
  readonly epoch: bigint;
  /** Part of the insert's deduplication token; different for each run (see `BatchWriter.runId`). */
  readonly runId: string;
}

/** Creates a function to call after each batch of a run, in order. It remembers the batches of the last minute. */
export const createProgressWriter = (
  target: GenerationPartition,
  { writer, serverRun, epoch, runId }: ProgressTarget,
  { position, progress }: Pick<ResumePoint, 'position' | 'progress'>,
): WriteProgress => {
  let { changed } = progress;
  /** The batches of the last minute, preceded by the last older one. */
  const recent = [
    { end: lowestPosition([progress.synced, position]), atMs: -Infinity },
    { end: position, atMs: progress.writtenAtMs },
  ];
  return async ({ upTo, asOfMs }, { inserts }) => {
    const nowMs = Date.now();
    while (recent[1] && recent[1].atMs <= nowMs - unsyncedWindowMs) recent.shift();
    if (inserts.length > 0) changed = upTo;
    await insertProgress(
      writer,
      target,
      {
        pos: upTo,
        as_of: asOfMs,
        changed_pos: changed,
        synced_pos: recent[0]!.end,
        run_at: serverRun.id,
        epoch,
        written_at: nowMs,
      },
      `${target.projection.name}:${target.generation}:${runId}:${upTo}:progress`,
    );
    recent.push({ end: upTo, atMs: nowMs });
  };
};
