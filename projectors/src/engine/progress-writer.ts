import { compileRowBinary, type ClickHouseWriter, generationTable } from '@popsvc/platform/clickhouse';
import { lowestPosition } from '@popsvc/platform/event-store';
import { progressOf } from '@popsvc/read-models/tables';
import type { ResumePoint } from './checkpoint.ts';
import type { SealedBatch } from './projection.ts';
import type { ServerRun } from './run-ended.ts';
import type { GenerationPartition } from './generation-partitions.ts';

export type WriteProgress = (
  batch: { readonly upTo: bigint; readonly asOfMs: number },
  sealed: Pick<SealedBatch, 'inserts'>,
) => Promise<void>;

/**
 * Some disks acknowledge a sync too early, so batches written within this time before the newest one are repeated in another run of
 * ClickHouse (`currentRunSql`). Linux writes unsynced data to the disk after about half a minute.
 */
const unsyncedWindowMs = 60_000;

/** Positions are log positions, and times are in ms since 1970. `epoch`: fencing token of the lease. */
interface ProgressColumns {
  readonly pos: bigint;
  readonly as_of: number;
  readonly changed_pos: bigint;
  readonly synced_pos: bigint;
  readonly run_at: number;
  readonly epoch: bigint;
  readonly written_at: number;
}

/** `token`: insert deduplication token; a repeated insert with the same token has no effect. */
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
  readonly serverRun: Pick<ServerRun, 'runAtMs'>;
  readonly epoch: bigint;
  /** Part of the insert's deduplication token; different for each run. */
  readonly runId: string;
}

/** Call the returned function after each batch, in order. */
export const createProgressWriter = (
  target: GenerationPartition,
  { writer, serverRun, epoch, runId }: ProgressTarget,
  { position, progress }: Pick<ResumePoint, 'position' | 'progress'>,
): WriteProgress => {
  let { changed } = progress;
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
        run_at: serverRun.runAtMs,
        epoch,
        written_at: nowMs,
      },
      `${target.projection.name}:${target.generation}:${runId}:${upTo}:progress`,
    );
    recent.push({ end: upTo, atMs: nowMs });
  };
};
