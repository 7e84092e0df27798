import { generationTable, receipts } from '@popsvc/contracts/tables';
import type { Reason } from '../run/recompute.ts';

/** Plays some receipt of which this batch holds; those that were only looked at again have no new ones. */
const isTold: Readonly<Record<Exclude<Reason, 'registry'>, string>> = {
  batch: 'max(pos > {after:UInt64} AND pos <= {upTo:UInt64}) OVER same',
  released: '1',
};

/**
 * What became of every receipt of the plays a batch tells of: the first in the log of an id is stored, the same content
 * again is a duplicate, another a conflict (decisions 4.5). Earlier receipts are told again with the new ones, since a
 * released event may come before them.
 */
export const receiptOutcomes = (g: number, reason: Exclude<Reason, 'registry'>): string => `
  INSERT INTO ${generationTable(receipts, g)} (network_id, vendor, hour, pos, outcome, event_id, late, clock_ahead, version)
  SELECT network_id, vendor, toStartOfHour(received_at), pos,
    multiIf(pos = first_pos, 'stored', content_hash = first_hash, 'duplicate', 'conflict') AS outcome,
    if(outcome = 'conflict', affected.event_id, ''), late, clock_ahead, {upTo:UInt64}
  FROM (
    SELECT *, min(pos) OVER same AS first_pos, argMin(content_hash, pos) OVER same AS first_hash, ${isTold[reason]} AS told
    FROM affected WINDOW same AS (PARTITION BY network_id, vendor, event_id)
  ) AS affected
  WHERE told`;
