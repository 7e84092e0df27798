import { playSpans } from '@popsvc/read-models/tables';
import type { RecomputePlan } from '../../engine/projection.ts';
import { affectedPlays, putOffSpans, receivedPlays, staleCoffeeRows, touchedScreens } from './affected-plays.sql.ts';
import {
  busySpans,
  candidateDetections,
  feederWindows,
  onlinePlays,
  placedPlays,
  presentAudience,
} from './audience.sql.ts';
import { coffeeRows } from './coffee-rows.sql.ts';
import { changesReceipts, receiptOutcomes } from './receipt-outcomes.sql.ts';

/** Rows are computed only from facts, so a repeated computation gives the same rows. Existing rows only select plays. */
export const coffeeRecomputePlan: RecomputePlan = {
  staleRowsSql: staleCoffeeRows,
  pairs: {
    table: 'busy_spans',
    putOff: (generation, reason) => [
      ...(reason === 'affecting' ? [{ name: 'touched_screens', sql: touchedScreens(generation) }] : []),
      { name: 'affected_plays', sql: receivedPlays(generation, reason) },
      { name: 'put_off', sql: putOffSpans(generation, reason) },
      receiptOutcomes(generation),
    ],
    derivedRowsSql: `SELECT toFloat64(network_id) AS network, toFloat64(count()) AS rows
      FROM (SELECT network_id FROM audience UNION ALL SELECT network_id FROM placed_plays) GROUP BY network_id`,
    isPendingSql: (pending, nameOf) => `(network_id, vendor, event_id) IN (
      SELECT network_id, vendor, event_id FROM ${nameOf(playSpans)}
      WHERE (network_id, screen_id, span) IN (${pending}))`,
  },
  statements: (generation, reason) => [
    ...(reason === 'affecting' ? [{ name: 'touched_screens', sql: touchedScreens(generation) }] : []),
    { name: 'affected_plays', sql: affectedPlays(generation, reason) },
    { name: 'placed_plays', sql: placedPlays(generation) },
    { name: 'busy_spans', sql: busySpans(generation) },
    { name: 'candidate_detections', emptyIfEmpty: 'busy_spans', sql: candidateDetections(generation) },
    { name: 'audience', emptyIfEmpty: 'candidate_detections', sql: presentAudience(generation) },
    { name: 'feeder_windows', sql: feederWindows(generation) },
    { name: 'online_plays', emptyIfEmpty: 'feeder_windows', sql: onlinePlays(generation) },
    ...coffeeRows(generation),
    ...(changesReceipts(reason) ? [receiptOutcomes(generation)] : []),
  ],
};
