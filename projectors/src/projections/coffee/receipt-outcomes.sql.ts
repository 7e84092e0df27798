import { generationTable } from '@popsvc/platform/clickhouse';
import { receipts } from '@popsvc/read-models/tables';
import { hasLateFacts, isInBatch } from '../../engine/recompute.ts';
import type { RecomputeReason } from '../../engine/projection.ts';

type ReasonWithReceipts = Exclude<RecomputeReason, 'registry' | 'feeders' | 'pending' | 'window'>;

/**
 * Outcomes do not depend on placements, thresholds or feeders. For pending ranges and windows, an earlier batch or the copy of a replay has
 * written the outcomes.
 */
export const changesReceipts = (reason: RecomputeReason): reason is ReasonWithReceipts =>
  !['registry', 'feeders', 'pending', 'window'].includes(reason);

const receiptsWhere = (condition: string) => `min(pos) AS first_pos, argMin(content_hash, pos) AS first_hash,
    groupArrayIf((pos, received_at, content_hash, late, clock_ahead), ${condition}) AS receipts`;

const receiptsOfBatch = receiptsWhere(`${hasLateFacts} OR ${isInBatch}`);

/**
 * Usually only receipts of the batch need an outcome, because they are last in the log. A parked or quarantined item can precede other
 * receipts of its play, and change their outcomes.
 */
const columnsOf: Readonly<Record<ReasonWithReceipts, string>> = {
  affecting: receiptsOfBatch,
  isolated: receiptsOfBatch,
  released: receiptsWhere('1'),
};

/** With a leading comma; empty if outcomes cannot change. */
export const receiptColumns = (reason: RecomputeReason): string =>
  changesReceipts(reason) ? `, ${columnsOf[reason]}` : '';

/** The first receipt of a play in the log is `stored`. A later one is a `duplicate` if it has the same content, else a `conflict`. */
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
