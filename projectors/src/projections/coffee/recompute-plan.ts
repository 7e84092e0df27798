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

/**
 * How ClickHouse computes `coffee` from its facts. Steps 1 to 8 fill temporary tables. Steps 9 and 10 insert rows:
 * 1. `touched_screens`: screens and time ranges with new detections or feeder heartbeats;
 * 2. `affected_plays`: the plays to recompute;
 * 3. `placed_plays`: these plays with placement and thresholds;
 * 4. `busy_spans`: devices and five-minute spans with plays and detections, with a bound of the number of pairs;
 * 5. `candidate_detections`: detections that overlap these plays;
 * 6. `audience`: detections that were present long enough, with presence, watch time and flags;
 * 7. `feeder_windows`: for each play without an audience, its device's feeders and the time window when their heartbeats count;
 * 8. `online_plays`: plays without an audience that have a feeder heartbeat in this window;
 * 9. the rows of `coffee`;
 * 10. the outcome of each receipt.
 * The values of rows are computed from facts, so repeating the computation gives the same rows. Existing rows only select plays.
 */
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
