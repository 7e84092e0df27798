import type { Writer } from '@popsvc/platform/clickhouse';
import { beginProjection, readGenerations, type Records } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/runtime';
import type { ProjectionDeclaration } from './projection-declaration.ts';
import { beginSchema, ensureSchema } from './ensure-schema.ts';
import type { Live } from './live.ts';
import { generationsThatAre, pointingAlone } from './live-generations.ts';
import { withNewerTables } from './newer-tables.ts';

/** Rows of an older version are right as far as that version knew; the projection goes on with them. */
const warnOfOutdated = async (
  records: Records,
  projections: readonly ProjectionDeclaration[],
  log: Log,
): Promise<void> => {
  for (const { projection: name, generation, state, version: was } of await readGenerations(records)) {
    const version = projections.find((projection) => projection.name === name)?.version ?? 0;
    if (state === 'live' && was < version)
      log.warn(
        { projection: name, generation, was, version },
        `the live generation was built by an older version of the projection: popsvc projections replay ${name}`,
      );
  }
};

/**
 * Everything that is written and read, as PostgreSQL says which generations there are; safe at every start. The live ones that
 * this build works on.
 */
export const openGenerations = async <Declaration extends ProjectionDeclaration>(
  { records, writer, log }: { readonly records: Records; readonly writer: Writer; readonly log: Log },
  projections: readonly Declaration[],
): Promise<readonly Live<Declaration>[]> => {
  for (const { name, version } of projections) await beginProjection(records, name, version);
  await warnOfOutdated(records, projections, log);
  return pointingAlone(records, async () => {
    await beginSchema(writer);
    const known = await readGenerations(records);
    const those = async (state: 'live' | 'kept') => {
      const found: Live<Declaration>[] = [];
      for (const each of await generationsThatAre(records, projections, state, 'own'))
        found.push(await withNewerTables({ writer, records }, each, known));
      return found;
    };
    const own = await those('live');
    const isOwn = (which: Live) => own.some(({ projection }) => projection.name === which.projection.name);
    const others = (await generationsThatAre(records, projections, 'live')).filter((each) => !isOwn(each));
    await ensureSchema(writer, own, { kept: await those('kept'), others });
    return own;
  });
};
