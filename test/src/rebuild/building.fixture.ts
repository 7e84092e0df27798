import type { LeaseStore } from '@popsvc/platform/postgres';
import {
  type BuildDependencies,
  type BuildProgress,
  buildGeneration,
  buildInThisProcess,
} from '@popsvc/projectors/engine/replay';
import { allProjections } from '@popsvc/projectors/projections';
import { ensureSchema } from '@popsvc/read-models/generations';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { Crash, mortal } from '../projectors/mortal.fixture.ts';
import type { TestSystem } from '../support/test-system.ts';

/** Every one that is made at once: the registry is not. */
export const builtAtOnce = allProjections.filter(({ parallelBuild }) => parallelBuild);

/** Writes down that a generation is being built, and makes its tables. */
export const beginGeneration = async ({ postgres, writer }: TestSystem, name: string, generation: number) => {
  const projection = allProjections.find((each) => each.name === name)!;
  await ensureSchema(writer, [{ projection, generation }]);
  await postgres.query(`INSERT INTO read_models (projection, live_generation) VALUES ($1, 1) ON CONFLICT DO NOTHING`, [
    name,
  ]);
  await postgres.query(
    `INSERT INTO generations (projection, generation, state, version) VALUES ($1, $2, 'building', 1)
     ON CONFLICT DO NOTHING`,
    [name, generation],
  );
  return projection;
};

/** Makes a generation of all that is in the log now. */
export const build = async (
  system: TestSystem,
  name: string,
  generation: number,
  {
    signal = new AbortController().signal,
    ...parts
  }: Partial<BuildDependencies> & { readonly signal?: AbortSignal } = {},
): Promise<readonly BuildProgress[]> => {
  const projection = await beginGeneration(system, name, generation);
  const told: BuildProgress[] = [];
  const upTo = await system.store.readHeadPosition();
  const own = { ...system.parts, postgres: system.postgres, ...parts };
  await buildGeneration(
    { runWorkers: buildInThisProcess(own, 2), ...own },
    { projection, generation, upTo },
    (progress) => told.push(progress),
    signal,
  );
  return told;
};

/** Leases that are often somebody else's: whoever looks for work finds it in another order. */
export const shuffling = (leases: LeaseStore, next: () => number): LeaseStore => ({
  ...leases,
  acquire: (key, owner, ttlMs) =>
    key.projection.includes('/') && next() < 0.6 ? Promise.resolve(undefined) : leases.acquire(key, owner, ttlMs),
});

/** A life that ends before or after so many things it writes to ClickHouse; true when it did. */
export const dying = async (
  system: TestSystem,
  { at, isBefore }: { readonly at: number; readonly isBefore: boolean },
  live: (parts: { readonly writer: ClickHouseWriter; readonly signal: AbortSignal }) => Promise<unknown>,
): Promise<boolean> => {
  const life = new AbortController();
  const { writer } = mortal(system, at, isBefore ? 'before' : 'after');
  const last = (error: unknown) => {
    life.abort(error);
    throw error;
  };
  const doomed: ClickHouseWriter = {
    ...writer,
    insert: (insert) => writer.insert(insert).catch(last),
    run: (query, options) => writer.run(query, options).catch(last),
  };
  try {
    await live({ writer: doomed, signal: life.signal });
    return false;
  } catch (error) {
    if (error instanceof Crash) return true;
    throw error;
  }
};
