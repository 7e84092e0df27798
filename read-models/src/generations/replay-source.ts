import type { ChosenSource, GenerationRecord, ReplaySource } from '@popsvc/platform/postgres';
import { damagedTables } from './damage.ts';
import type { ProjectionDeclaration } from './generations.ts';

type LiveGeneration = Pick<GenerationRecord, 'version' | 'damage' | 'incompleteTables' | 'lostEvents'>;

/** The problem is a clause for operators. Undefined if a replay may copy the facts. */
export const findFactsProblem = (
  { name, version, factsVersion = version, derived }: ProjectionDeclaration,
  live: LiveGeneration,
): string | undefined => {
  if (!derived) return `${name} derives no rows from facts`;
  if (live.version < factsVersion)
    return `version ${factsVersion} of the projection changed the facts, and version ${live.version} built the live tables`;
  if (live.damage.length > 0) return `live tables are damaged: ${damagedTables(live.damage).join(', ')}`;
  if (live.incompleteTables.length > 0)
    return `live tables lack the rows of earlier events: ${live.incompleteTables.join(', ')}`;
  if (live.lostEvents.length > 0) return 'the live tables contain events that a repair removed from the log';
  return undefined;
};

/** Copying the facts is cheaper, but only a replay from the log verifies them. */
export const chooseReplaySource = (
  projection: ProjectionDeclaration,
  live: LiveGeneration,
  requested?: ReplaySource,
): ChosenSource => {
  if (requested) return { source: requested, reason: 'the request names this source' };
  const problem = findFactsProblem(projection, live);
  if (problem !== undefined) return { source: 'log', reason: problem };
  return live.version < projection.version
    ? { source: 'facts', reason: `only the derivation of rows changed since version ${live.version}` }
    : {
        source: 'log',
        reason: 'this version built the live tables, and only a replay from the log verifies their facts',
      };
};
