import { coffee } from '@popsvc/read-models/tables';
import type { RecomputePlan } from '../../engine/projection.ts';
import { affectedPlays, staleCoffeeRows, touchedScreens } from './affected-plays.sql.ts';
import { candidateDetections, feederWindows, onlinePlays, placedPlays, presentAudience } from './audience.sql.ts';
import { coffeeRows } from './coffee-rows.sql.ts';
import { changesReceipts, receiptOutcomes } from './receipt-outcomes.sql.ts';

/**
 * How ClickHouse computes `coffee` from its facts. Steps 1 to 7 fill temporary tables. Steps 8 and 9 insert rows:
 * 1. `touched_screens`: screens and time ranges with new detections or feeder heartbeats;
 * 2. `affected_plays`: the plays to recompute;
 * 3. `placed_plays`: these plays with placement and thresholds;
 * 4. `candidate_detections`: detections that overlap these plays;
 * 5. `audience`: detections that were present long enough, with presence, watch time and flags;
 * 6. `feeder_windows`: for each play without an audience, its device's feeders and the time window when their heartbeats count;
 * 7. `online_plays`: plays without an audience that have a feeder heartbeat in this window;
 * 8. the rows of `coffee`;
 * 9. the outcome of each receipt.
 * New rows are computed from facts and never from existing rows of `coffee`, so repeating the computation gives the same rows.
 */
export const coffeeRecomputePlan: RecomputePlan = {
  table: coffee,
  isSliced: true,
  staleRowsSql: staleCoffeeRows,
  statements: (generation, reason) => [
    ...(reason === 'affecting' ? [{ name: 'touched_screens', sql: touchedScreens(generation) }] : []),
    { name: 'affected_plays', sql: affectedPlays(generation, reason) },
    { name: 'placed_plays', sql: placedPlays(generation) },
    { name: 'candidate_detections', sql: candidateDetections(generation) },
    { name: 'audience', emptyIfEmpty: 'candidate_detections', sql: presentAudience(generation) },
    { name: 'feeder_windows', sql: feederWindows(generation) },
    { name: 'online_plays', emptyIfEmpty: 'feeder_windows', sql: onlinePlays(generation) },
    coffeeRows(generation),
    ...(changesReceipts(reason) ? [receiptOutcomes(generation)] : []),
  ],
};
