import { receipts } from '@popsvc/read-models/tables';
import { generationTable } from '@popsvc/platform/clickhouse';
import { hasLateFacts, isInBatch } from '../../engine/recompute.ts';
import type { RecomputeReason } from '../../engine/projection.ts';

type Telling = Extract<RecomputeReason, 'batch' | 'alone' | 'released' | 'rebuild'>;

/** What the registry says changes nothing about what became of a receipt. */
export const hasNoReceipts = (reason: RecomputeReason): reason is Exclude<RecomputeReason, Telling> =>
  reason === 'registry' || reason === 'feeders';

const told = (which: string) => `min(pos) AS first_pos, argMin(content_hash, pos) AS first_hash,
    groupArrayIf((pos, received_at, content_hash, late, clock_ahead), ${which}) AS receipts`;

const ofBatch = told(`${hasLateFacts} OR ${isInBatch()}`);

/**
 * What is found of a play besides its starts: its first receipt, and those to be told of. New receipts stand behind all
 * others, so they change nothing about these; one that was released, or taken late, may come before them.
 */
export const toldReceipts: Readonly<Record<Telling, string>> = {
  batch: ofBatch,
  alone: ofBatch,
  released: told('1'),
  rebuild: told('1'),
};

/**
 * What became of receipts: the first in the log of an id is stored, the same content again is a duplicate, another a
 * conflict (decisions 4.5).
 */
export const receiptOutcomes = (g: number): string => `
  INSERT INTO ${generationTable(receipts, g)} (network_id, vendor, hour, pos, outcome, event_id, late, clock_ahead, version)
  SELECT network_id, vendor, toStartOfHour(receipt.2), receipt.1 AS pos,
    multiIf(pos = first, 'stored', receipt.3 = standing, 'duplicate', 'conflict') AS outcome,
    if(outcome = 'conflict', play.event_id, ''), receipt.4, receipt.5, {upTo:UInt64}
  FROM (
    SELECT network_id, vendor, event_id, min(first_pos) AS first, argMin(first_hash, first_pos) AS standing,
      groupArrayArray(receipts) AS told
    FROM affected GROUP BY network_id, vendor, event_id
  ) AS play
  ARRAY JOIN told AS receipt`;
