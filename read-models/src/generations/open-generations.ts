import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { registerProjection, readGenerations, type Postgres } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { findGenerations, type Generation, type ProjectionDeclaration, withReaderLock } from './generations.ts';
import { markRunVerified, verifyGeneration, verifyProgress } from './damage.ts';
import { createDatabaseAndProgress, createSchema, readRelations } from './schema.ts';
import { noteIncompleteTables } from './incomplete-tables.ts';
import { syncReplica } from './replicas.ts';

/** A live generation of an older version stays live, because its rows are correct for that version. */
const warnOfOutdated = async (
  postgres: Postgres,
  projections: readonly ProjectionDeclaration[],
  log: Log,
): Promise<void> => {
  for (const { projection: name, generation, state, version: was } of await readGenerations(postgres)) {
    const version = projections.find((projection) => projection.name === name)?.version ?? 0;
    if (state === 'live' && was < version)
      log.warn(
        { projection: name, generation, was, version },
        'live generation was built by an older version of the projection; replay it to update',
      );
  }
};

/**
 * Returns the live generations that this process may write to, without those that a newer version built. Throws if a table is dropped
 * meanwhile; the next call finds it missing.
 */
export const openGenerations = async <Declaration extends ProjectionDeclaration>(
  { postgres, writer, log }: { readonly postgres: Postgres; readonly writer: ClickHouseWriter; readonly log: Log },
  projections: readonly Declaration[],
): Promise<readonly Generation<Declaration>[]> => {
  for (const { name, version } of projections) await registerProjection(postgres, name, version);
  await warnOfOutdated(postgres, projections, log);
  // Runs before the lock is taken: a replica may take long, and switches of readers wait for the lock.
  await syncReplica(writer);
  return withReaderLock(postgres, writer.shard, async () => {
    await createDatabaseAndProgress(writer);
    const dependencies = { postgres, writer, log };
    await verifyProgress(dependencies, projections);
    const known = await readGenerations(postgres);
    const verified = await readRelations(writer);
    // Damage is recorded before missing tables are created: an empty table must not count as complete.
    const verify = async (which: Generation<Declaration>): Promise<Generation<Declaration>> => {
      const found = await verifyGeneration(dependencies, which);
      return { ...which, damage: [...(which.damage ?? []), ...found] };
    };
    const prepareGenerations = async (state: 'live' | 'kept') => {
      const found: Generation<Declaration>[] = [];
      for (const each of await findGenerations(postgres, projections, state, 'own'))
        found.push(await verify(await noteIncompleteTables({ writer, postgres }, each, known)));
      return found;
    };
    const own = await prepareGenerations('live');
    const isOwn = (which: Generation) => own.some(({ projection }) => projection.name === which.projection.name);
    for (const each of (await findGenerations(postgres, projections, 'live')).filter((each) => !isOwn(each)))
      await verifyGeneration(dependencies, each);
    const others = (await findGenerations(postgres, projections, 'live')).filter((each) => !isOwn(each));
    await createSchema(writer, own, { kept: await prepareGenerations('kept'), others, verified });
    await markRunVerified(writer);
    return own;
  });
};
