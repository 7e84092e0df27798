import { wholeProjection } from '@popsvc/domain/partitioning';
import { type BuildProgress, buildGeneration } from '@popsvc/projectors/engine/replay';
import type { RunnerDependencies } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { ensureSchema } from '@popsvc/read-models/generations';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { crashingStores, isCrash } from '../runner/crashing-stores.fixture.ts';
import type { TestSystem } from '../../support/test-system.ts';

/** Records that a generation is being built, and creates its tables. */
const beginGeneration = async ({ postgres, writer }: TestSystem, name: string, generation: number) => {
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

export interface BuildOptions extends Partial<RunnerDependencies> {
  readonly signal?: AbortSignal;
  /** Builds the generation; default: in this process. */
  readonly build?: typeof buildGeneration;
}

/** Builds a generation up to the end of the log, as a replay does. Returns the reports of its progress. */
export const build = async (
  system: TestSystem,
  name: string,
  generation: number,
  { signal = new AbortController().signal, build: run = buildGeneration, ...parts }: BuildOptions = {},
): Promise<readonly BuildProgress[]> => {
  const projection = await beginGeneration(system, name, generation);
  const reports: BuildProgress[] = [];
  const upTo = await system.store.readHeadPosition();
  const dependencies = { ...system.parts, postgres: system.postgres, ...parts };
  await run(
    dependencies,
    { projection, generation, partition: wholeProjection, upTo },
    (progress) => reports.push(progress),
    signal,
  );
  return reports;
};

/** Runs work that is killed before or after its n-th write to ClickHouse. Returns true when it was killed. */
export const runUntilKilled = (
  system: TestSystem,
  { at, isBefore }: { readonly at: number; readonly isBefore: boolean },
  run: (parts: { readonly writer: ClickHouseWriter; readonly signal: AbortSignal }) => Promise<unknown>,
): Promise<boolean> => {
  const end = new AbortController();
  const { writer } = crashingStores(system, at, isBefore ? 'before' : 'after');
  const endWith = (error: unknown) => {
    end.abort(error);
    throw error;
  };
  const killed: ClickHouseWriter = {
    ...writer,
    insert: (insert) => writer.insert(insert).catch(endWith),
    run: (query, options) => writer.run(query, options).catch(endWith),
  };
  return isCrash(run({ writer: killed, signal: end.signal }));
};
