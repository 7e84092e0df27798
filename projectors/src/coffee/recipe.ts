import { coffee } from '@popsvc/contracts/tables';
import type { Recipe } from '../run/recompute.ts';
import { affectedPlays, touchedScreens } from './affected.sql.ts';
import { resolvedPlays } from './resolved.sql.ts';
import { coffeeRows } from './rows.sql.ts';
import { candidatePairs, seenPeople } from './seen.sql.ts';

/** Which screens a batch's detections looked from; which plays; where and under which thresholds; who may have been there; who was; the rows of that. */
export const coffeeRecipe: Recipe = {
  table: coffee,
  temporary: ['touched', 'affected', 'resolved', 'candidates', 'seen'],
  statements: (generation, reason) => [
    ...(reason === 'batch' ? [touchedScreens(generation)] : []),
    affectedPlays(generation, reason),
    resolvedPlays(generation),
    candidatePairs(generation),
    seenPeople(generation),
    coffeeRows(generation),
  ],
};
