import { randomUUID } from 'node:crypto';
import { generationTable, isServerError, runOnEachServer, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { reachFailPoint } from '@popsvc/platform/runtime';
import { type GenerationPartition, type PartitionKey, partitionKeyOf } from './generation-partitions.ts';
import type { WriteProgress } from './progress-writer.ts';
import { RunEnded } from './run-ended.ts';
import type { BatchSession, DerivationShares, SealedBatch } from './projection.ts';

export interface BatchWriter extends GenerationPartition {
  readonly maxWindowRows: number;
  /** `ResumePoint.derivedUpTo` as a sequence, not a position. */
  readonly derivedUpTo: bigint;
  readonly nextRank: (upTo: bigint) => bigint;
  readonly writer: ClickHouseWriter;
  readonly shares: DerivationShares;
  readonly signal: AbortSignal;
  /**
   * Part of the deduplication tokens of a batch's inserts. A killed ClickHouse can lose an insert and still remember its token, so each run
   * needs another id.
   */
  readonly runId: string;
  readonly writeProgress: WriteProgress;
  /** Throws `LeaseLost` if this process has lost its lease. */
  readonly assertHeld: () => void;
  /** Throws an error that ends the run if ClickHouse may have lost data since the run began. */
  readonly assertSameServer: () => Promise<void>;
}

/**
 * The events after `after`, up to and including `upTo`. `sinceMs` and `asOfMs`: when the oldest and the newest were appended, in ms since
 * 1970.
 */
export interface WrittenRange {
  readonly after: bigint;
  readonly upTo: bigint;
  readonly sinceMs: number;
  readonly asOfMs: number;
}

const statementMemoryBytes = 1_000_000_000;

const sessionPrefix = ({ projection, generation, partition, partitions }: PartitionKey): string =>
  `${projection}-g${generation}-p${partition}of${partitions}-`;

/** Ends the derivation statements of former runs, which could insert rows from fewer facts after this run has replaced those rows. */
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

/** Writes facts, derived rows and progress in this order. A failed batch may be repeated. */
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

/** Timeouts are not retried, because the statement may still be running. */
export const isWorthRetrying = (error: unknown): boolean =>
  !isServerError(error) &&
  !(error instanceof RunEnded) &&
  !(error instanceof Error && /abort|timeout/i.test(error.message));
