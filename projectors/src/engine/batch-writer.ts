import { randomUUID } from 'node:crypto';
import { generationTable, isServerError, runOnEachServer, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { reachFailPoint } from '@popsvc/platform/runtime';
import { type GenerationPartition, type PartitionKey, partitionKeyOf } from './generation-partitions.ts';
import type { WriteProgress } from './progress-writer.ts';
import { RunEnded } from './run-ended.ts';
import type { BatchSession, DerivationShares, SealedBatch } from './projection.ts';

export interface BatchWriter extends GenerationPartition {
  readonly maxWindowRows: number;
  /** `derivedUpTo` of the `ResumePoint`, as a sequence. */
  readonly derivedUpTo: bigint;
  /** Returns the next rank (see `readRanks`) for a batch or unit that ends at a sequence. */
  readonly nextRank: (upTo: bigint) => bigint;
  readonly writer: ClickHouseWriter;
  readonly shares: DerivationShares;
  /** Cancels the statement of a derivation that is running. The next run repeats the batch. */
  readonly signal: AbortSignal;
  /**
   * Part of the deduplication token of each insert; different for each run. If ClickHouse is killed, it can lose an insert and still
   * remember the token. ClickHouse would then drop the insert of a new run with that token as a duplicate.
   */
  readonly runId: string;
  readonly writeProgress: WriteProgress;
  /**
   * Throws `LeaseLost` if this process has lost its lease. Called before facts, progress and every statement of a derivation that may
   * write.
   */
  readonly assertHeld: () => void;
  /** Throws if ClickHouse restarted since the run began, because it may have lost unsynced data. Also throws if it found a damaged part. */
  readonly assertSameServer: () => Promise<void>;
}

/**
 * A batch that is being written: the events after the log position `after`, up to and including `upTo`, and parked items that it applies late. `sinceMs` and `asOfMs`: when its
 * oldest and its newest event were appended, in ms since 1970.
 */
export interface WrittenRange {
  readonly after: bigint;
  readonly upTo: bigint;
  readonly sinceMs: number;
  readonly asOfMs: number;
}

/** Maximum memory of one statement of a derivation, in bytes. A computation that needs more is repeated in more slices. */
const statementMemoryBytes = 1_000_000_000;

/** Prefix of the sessions in which a partition derives rows, and so of the query ids of its statements. */
const sessionPrefix = ({ projection, generation, partition, partitions }: PartitionKey): string =>
  `${projection}-g${generation}-p${partition}of${partitions}-`;

/**
 * Ends the derivation statements that former runs of a partition began and that ClickHouse still executes. They could otherwise insert rows
 * from fewer facts after this run has replaced those rows. Returns when they have ended, on every server that responds.
 */
export const endFormerDerivations = (writer: ClickHouseWriter, partition: PartitionKey): Promise<void> =>
  runOnEachServer(
    writer,
    `KILL QUERY WHERE current_database = currentDatabase() AND startsWith(query_id, '${sessionPrefix(partition)}') SYNC`,
  );

export const openBatchSession = (
  target: BatchWriter,
  times: Pick<BatchSession, 'derivedAsOfMs' | 'validFromMs' | 'validToMs' | 'rewritesAll'>,
): BatchSession => {
  const {
    projection,
    writer,
    generation,
    partition,
    assertHeld,
    maxWindowRows,
    derivedUpTo,
    nextRank,
    shares,
    signal,
  } = target;
  const session = `${sessionPrefix(partitionKeyOf(target))}${randomUUID()}-`;
  const options = { session, signal, maxMemoryBytes: statementMemoryBytes };
  let rank: bigint | undefined;
  return {
    projection,
    generation,
    partition,
    maxWindowRows,
    derivedUpTo,
    rankOf: (upTo) => (rank ??= nextRank(upTo)),
    shares,
    ...times,
    run: (query, params = {}) => {
      assertHeld();
      return writer.run(query, { params, ...options });
    },
    runOnEachServer: (query) => {
      assertHeld();
      return runOnEachServer(writer, query);
    },
    rows: (query, params = {}) => writer.rows(query, { params, ...options }),
    insert: ({ table, batch }) => {
      assertHeld();
      const columns = Object.keys(table.fields);
      return writer.insert({
        table: generationTable(table, generation),
        columns,
        body: batch.body(),
        token: randomUUID(),
      });
    },
  };
};

/**
 * Writes a batch to ClickHouse: the facts, then the rows derived from them, then the progress row. May be repeated after a failure:
 * ClickHouse drops repeated inserts of facts in the same run. In a later run, equal facts replace them. Derived rows that equal stored ones
 * are not written again.
 */
export const writeBatch = async (to: BatchWriter, sealed: SealedBatch, written: WrittenRange): Promise<void> => {
  const { projection, generation, writer, runId, assertHeld, assertSameServer } = to;
  assertHeld();
  reachFailPoint('before-insert', projection.name);
  await Promise.all(
    sealed.inserts.map(({ table, batch }) =>
      writer.insert({
        table: generationTable(table, generation),
        columns: Object.keys(table.fields),
        body: batch.body(),
        token: `${projection.name}:${generation}:${runId}:${written.after}-${written.upTo}:${table.name}`,
      }),
    ),
  );
  reachFailPoint('after-insert', projection.name);
  const { sinceMs } = written;
  await sealed.derive?.(
    openBatchSession(to, { derivedAsOfMs: sinceMs - 1, validFromMs: sinceMs, validToMs: sinceMs, rewritesAll: false }),
  );
  reachFailPoint('after-derive', projection.name);
  assertHeld();
  await assertSameServer();
  await to.writeProgress(written, sealed);
  reachFailPoint('after-progress', projection.name);
};

/**
 * Returns whether a failed write may succeed when it is repeated, for example after a broken connection. ClickHouse would reject a rejected
 * statement again, and a statement that timed out may still be running.
 */
export const isWorthRetrying = (error: unknown): boolean =>
  !isServerError(error) &&
  !(error instanceof RunEnded) &&
  !(error instanceof Error && /abort|timeout/i.test(error.message));
