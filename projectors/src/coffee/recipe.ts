import { coffee } from '@popsvc/contracts/tables';
import type { Recipe } from '../run/recompute.ts';
import { affectedPlays } from './affected.sql.ts';
import { resolvedPlays } from './resolved.sql.ts';
import { coffeeRows } from './rows.sql.ts';
import { candidatePairs, seenPeople } from './seen.sql.ts';

/** Which plays; where and under which thresholds; who may have been there; who was; the rows of that. */
export const coffeeRecipe: Recipe = {
  table: coffee,
  temporary: ['affected', 'resolved', 'candidates', 'seen'],
  statements: (generation, reason) => [
    affectedPlays(generation, reason),
    resolvedPlays(generation),
    candidatePairs(generation),
    seenPeople(generation),
    coffeeRows(generation),
  ],
};
