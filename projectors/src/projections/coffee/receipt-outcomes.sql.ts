import { generationTable } from '@popsvc/platform/clickhouse';
import { receipts } from '@popsvc/read-models/tables';
import { hasLateFacts, isInBatch } from '../../engine/recompute.ts';
import type { RecomputeReason } from '../../engine/projection.ts';

type ReasonWithReceipts = Exclude<RecomputeReason, 'registry' | 'feeders' | 'pending' | 'window'>;

/**
 * Returns whether outcomes of receipts may change when plays are computed again for this reason. Outcomes do not depend on placements,
 * thresholds or feeders. For a range that is derived later, the batch that put it off has written the outcomes, and a replay from facts has
 * copied them.
 */
export const changesReceipts = (reason: RecomputeReason): reason is ReasonWithReceipts =>
  !['registry', 'feeders', 'pending', 'window'].includes(reason);

const receiptsWhere = (condition: string) => `min(pos) AS first_pos, argMin(content_hash, pos) AS first_hash,
    groupArrayIf((pos, received_at, content_hash, late, clock_ahead), ${condition}) AS receipts`;

const receiptsOfBatch = receiptsWhere(`${hasLateFacts} OR ${isInBatch}`);

/**
 * SQL for the receipt columns, by reason. Usually, only receipts of the batch need an outcome: they are last in the log, so earlier
 * outcomes do not change. An item that was parked or quarantined can precede other receipts of its play. The outcomes of all receipts of
 * the play are then computed again.
 */
const columnsOf: Readonly<Record<ReasonWithReceipts, string>> = {
  affecting: receiptsOfBatch,
  isolated: receiptsOfBatch,
  released: receiptsWhere('1'),
};

/**
 * Builds the SQL for the receipt columns of `affected_plays`, with a leading comma: position and content hash of the first receipt, and the
 * receipts that need an outcome. Empty if outcomes cannot change.
 */
export const receiptColumns = (reason: RecomputeReason): string =>
  changesReceipts(reason) ? `, ${columnsOf[reason]}` : '';

/**
 * Builds the statement that writes the outcomes of the receipts in `affected_plays` to the table `receipts`. The first receipt of a play in
 * the log is `stored`. A later one is a `duplicate` if it has the same content, else a `conflict`.
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
