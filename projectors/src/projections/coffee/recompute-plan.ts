import { coffee } from '@popsvc/read-models/tables';
import type { RecomputePlan } from '../../engine/projection.ts';
import { affectedPlays, staleCoffee, touchedScreens, wholeCoffee } from './affected-plays.sql.ts';
import { candidatePairs, feederWindows, onlinePlays, resolvedPlays, seenPeople } from './audience.sql.ts';
import { hasNoReceipts, receiptOutcomes } from './receipt-outcomes.sql.ts';
import { coffeeRows } from './coffee-rows.sql.ts';

/** Which screens a batch's detections looked from and its feeders were heard at; which plays; where and under which thresholds; who may have been there; who was; at which of the others a feeder was online; the rows of that; what became of each receipt. */
export const coffeeRecipe: RecomputePlan = {
  table: coffee,
  isSliced: true,
  staleRowsSql: staleCoffee,
  facts: wholeCoffee,
  statements: (generation, reason) => [
    ...(reason === 'batch' ? [{ name: 'touched', sql: touchedScreens(generation) }] : []),
    { name: 'affected', sql: affectedPlays(generation, reason) },
    { name: 'resolved', sql: resolvedPlays(generation) },
    { name: 'candidates', sql: candidatePairs(generation) },
    { name: 'seen', emptyIfEmpty: 'candidates', sql: seenPeople(generation) },
    { name: 'windows', sql: feederWindows(generation) },
    { name: 'online', emptyIfEmpty: 'windows', sql: onlinePlays(generation) },
    coffeeRows(generation, reason),
    ...(hasNoReceipts(reason) ? [] : [receiptOutcomes(generation)]),
  ],
};
