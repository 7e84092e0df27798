import type { Writer } from '@popsvc/platform/read-store';
import { beginProjection, type GenerationRecord, readGenerations, type Records } from '@popsvc/platform/records';
import type { Log } from '@popsvc/platform/runtime';
import type { Projection } from '../run/projection.ts';
import { ensureSchema } from './ensure-schema.ts';
import type { Live } from './live.ts';
import { generationsThatAre, pointingAlone } from './live-generations.ts';

/** Rows of an older version are right as far as that version knew; the projection goes on with them. */
const warnOfOutdated = async (records: Records, projections: readonly Projection[], log: Log): Promise<void> => {
  for (const { projection: name, generation, state, version: was } of await readGenerations(records)) {
    const version = projections.find((projection) => projection.name === name)?.version ?? 0;
    if (state === 'live' && was < version)
      log.warn(
        { projection: name, generation, was, version },
        `the live generation was built by an older version of the projection: popsvc projections replay ${name}`,
      );
  }
};

/** What a newer build writes has columns that this one does not know: its tables and views are left alone. */
const isOwn = (known: readonly GenerationRecord[]) => (which: Live) => {
  const { name, version } = which.projection;
  const record = known.find(({ projection, generation }) => projection === name && generation === which.generation);
  return record === undefined || record.version <= version;
};

/**
 * Everything that is written and read, as PostgreSQL says which generations there are; safe at every start. The live ones that
 * this build works on.
 */
export const openGenerations = async (
  { records, writer, log }: { readonly records: Records; readonly writer: Writer; readonly log: Log },
  projections: readonly Projection[],
): Promise<readonly Live[]> => {
  for (const { name, version } of projections) await beginProjection(records, name, version);
  await warnOfOutdated(records, projections, log);
  return pointingAlone(records, async () => {
    const isOurs = isOwn(await readGenerations(records));
    const live = await generationsThatAre(records, projections, 'live');
    const kept = await generationsThatAre(records, projections, 'kept');
    const own = live.filter(isOurs);
    await ensureSchema(writer, own, { kept: kept.filter(isOurs), others: live.filter((each) => !isOurs(each)) });
    return own;
  });
};
