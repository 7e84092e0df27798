import { generationTable } from '@popsvc/platform/clickhouse';
import type { NewBuildPart } from '@popsvc/platform/postgres';
import type { BatchSession } from '../projection.ts';
import type { RecomputePlan } from '../recipe.ts';
import { spanMs } from '../../projections/rows/fact-rows.ts';

const networksSql = ({ facts }: RecomputePlan, g: number) =>
  `SELECT DISTINCT network_id AS network FROM ${generationTable(facts.table, g)} ORDER BY network`;

/** Neighbouring spans together as far as they hold about as many as a window may. */
const windowsSql = ({ facts: { table, at, where = '1' } }: RecomputePlan, g: number) => `
  SELECT toString(min(begins)) AS starts, toString(max(begins) + ${spanMs}) AS ends, toUInt32(sum(held)) AS held
  FROM (
    SELECT begins, held, intDiv(sum(held) OVER (ORDER BY begins) - 1, {most:UInt32}) AS place
    FROM (
      SELECT ${at} AS begins, count() AS held FROM ${generationTable(table, g)}
      WHERE network_id = {network:UInt64} AND ${where} GROUP BY begins
    )
  )
  GROUP BY place ORDER BY place`;

/**
 * All that a recipe computes, cut by network and time into sets of a size that ClickHouse has memory for; a span that holds more
 * is computed in slices.
 */
export const cutIntoWindows = async (steps: BatchSession, recipe: RecomputePlan): Promise<readonly NewBuildPart[]> => {
  const { generation, maxWindowRows: most } = steps;
  const parts: NewBuildPart[] = [];
  for (const { network } of await steps.rows<{ network: number }>(networksSql(recipe, generation))) {
    const windows = await steps.rows<{ starts: string; ends: string; held: number }>(windowsSql(recipe, generation), {
      network,
      most,
    });
    for (const { starts, ends, held } of windows) {
      const slices = recipe.isSliced ? Math.max(1, Math.round(held / most)) : 1;
      parts.push({ starts: BigInt(starts), ends: BigInt(ends), network, slices });
    }
  }
  return parts;
};
