import { generationTable } from '@popsvc/platform/clickhouse';
import { receipts } from '@popsvc/read-models/tables';
import { hasLateFacts, isInBatch } from '../../engine/recompute.ts';
import type { RecomputeReason } from '../../engine/projection.ts';

type ReasonWithReceipts = Exclude<RecomputeReason, 'registry' | 'feeders' | 'pending' | 'window'>;

/**
 * Returns true if the outcomes of receipts may change when plays are recomputed for this reason. Outcomes do not depend on
 * placements, thresholds or feeders. The batch that puts a range off writes the outcomes of its receipts.
 */
export const changesReceipts = (reason: RecomputeReason): reason is ReasonWithReceipts =>
  !['registry', 'feeders', 'pending', 'window'].includes(reason);

const receiptsWhere = (condition: string) => `min(pos) AS first_pos, argMin(content_hash, pos) AS first_hash,
    groupArrayIf((pos, received_at, content_hash, late, clock_ahead), ${condition}) AS receipts`;

const receiptsOfBatch = receiptsWhere(`${hasLateFacts} OR ${isInBatch}`);

/**
 * SQL for the receipt columns, by recompute reason. Usually only the batch's receipts need an outcome: they come last in the log,
 * so the outcomes of earlier receipts stay the same. However, an item that was parked or quarantined can precede other receipts of
 * the same play. In that case, the outcomes of all the play's receipts are computed again.
 */
const columnsOf: Readonly<Record<ReasonWithReceipts, string>> = {
  affecting: receiptsOfBatch,
  isolated: receiptsOfBatch,
  released: receiptsWhere('1'),
};

/**
 * Builds the SQL for the receipt columns of `affected_plays`, with a leading comma. The columns contain the first receipt's
 * position and content hash, and the receipts whose outcomes must be computed. Returns an empty string if the recomputation
 * cannot change receipt outcomes.
 */
export const receiptColumns = (reason: RecomputeReason): string =>
  changesReceipts(reason) ? `, ${columnsOf[reason]}` : '';

/**
 * Builds the statement that writes the outcome of each receipt in `affected_plays` to the `receipts` table. The first receipt
 * of a play in the log is `stored`. A later receipt is a `duplicate` if it has the same content, otherwise a `conflict`.
 */
export const receiptOutcomes = (generation: number): string => `
  INSERT INTO ${generationTable(receipts, generation)} (network_id, vendor, hour, pos, outcome, event_id, late, clock_ahead, version)
  SELECT network_id, vendor, toStartOfHour(receipt.2), receipt.1 AS pos,
    multiIf(pos = stored_pos, 'stored', receipt.3 = stored_hash, 'duplicate', 'conflict') AS outcome,
    if(outcome = 'conflict', play.event_id, ''), receipt.4, receipt.5, {upTo:UInt64}
  FROM (
    SELECT network_id, vendor, event_id, min(first_pos) AS stored_pos, argMin(first_hash, first_pos) AS stored_hash,
      groupArrayArray(receipts) AS all_receipts
    FROM affected_plays GROUP BY network_id, vendor, event_id
  ) AS play
  ARRAY JOIN all_receipts AS receipt`;
