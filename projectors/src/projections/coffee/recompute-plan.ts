import { coffee } from '@popsvc/read-models/tables';
import type { Recipe } from '../../engine/recipe.ts';
import { affectedPlays, staleCoffee, touchedScreens, wholeCoffee } from './affected-plays.sql.ts';
import { candidatePairs, feederWindows, onlinePlays, resolvedPlays, seenPeople } from './audience.sql.ts';
import { hasNoReceipts, receiptOutcomes } from './receipt-outcomes.sql.ts';
import { coffeeRows } from './coffee-rows.sql.ts';

/** Which screens a batch's detections looked from and its feeders were heard at; which plays; where and under which thresholds; who may have been there; who was; at which of the others a feeder was online; the rows of that; what became of each receipt. */
export const coffeeRecipe: Recipe = {
  table: coffee,
  isSliced: true,
  stale: staleCoffee,
  whole: wholeCoffee,
  statements: (generation, reason) => [
    ...(reason === 'batch' ? [{ fills: 'touched', sql: touchedScreens(generation) }] : []),
    { fills: 'affected', sql: affectedPlays(generation, reason) },
    { fills: 'resolved', sql: resolvedPlays(generation) },
    { fills: 'candidates', sql: candidatePairs(generation) },
    { fills: 'seen', from: 'candidates', sql: seenPeople(generation) },
    { fills: 'windows', sql: feederWindows(generation) },
    { fills: 'online', from: 'windows', sql: onlinePlays(generation) },
    coffeeRows(generation, reason),
    ...(hasNoReceipts(reason) ? [] : [receiptOutcomes(generation)]),
  ],
};
