import { beginBuild, type BuildRecord, type NewBuildPart, readBuild } from '@popsvc/platform/postgres';
import { requireSameLog, readLogIdentity } from '../another-log.ts';
import type { BuildTarget, BuildDependencies } from './build.ts';

const standardPartEvents = 100_000;

/** What the build consists of, as it is written down or was before. Throws AnotherLog when it was begun on another one. */
export const planBuild = async (
  { store, postgres, partEvents: every = standardPartEvents }: BuildDependencies,
  { projection, generation, upTo }: BuildTarget,
  signal: AbortSignal,
): Promise<BuildRecord> => {
  const key = { projection: projection.name, generation };
  const [recorded, here] = [await readBuild(postgres, key), await readLogIdentity(store)];
  if (recorded) {
    requireSameLog(key, { position: recorded.upTo, logId: recorded.logId }, here);
    return recorded;
  }
  const { logId } = here;
  const facts: NewBuildPart[] = [];
  const add = (ends: bigint) => {
    facts.push({ starts: facts.at(-1)?.ends ?? 0n, ends, network: 0, slices: 1 });
  };
  for await (const mark of store.readSplitPositions({ every, upTo, signal })) add(mark);
  signal.throwIfAborted();
  add(upTo);
  await beginBuild(postgres, key, { upTo, logId }, facts);
  return { upTo, logId };
};
