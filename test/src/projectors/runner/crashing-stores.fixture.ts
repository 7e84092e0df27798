import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { CheckpointStore } from '@popsvc/platform/postgres';
import type { TestSystem } from '../../support/test-system.ts';

export class Crash extends Error {}

/**
 * The crashes of a test that crashes at every write, or at every write with this distance. A crash before a write leaves the same
 * stores as one after the write before it, so every second write is enough: after the first, before the third, after the fifth and so
 * on.
 */
function* crashPoints(distance = 2): Generator<readonly [crashAt: number, when: 'before' | 'after']> {
  for (let index = 0; ; index += 1) yield [1 + index * distance, index % 2 === 0 ? 'after' : 'before'];
}

/** Returns true if the work ends with a crash. */
export const isCrash = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => false,
    (error: unknown) => {
      if (error instanceof Crash) return true;
      throw error;
    },
  );

/**
 * Runs coffee, or this run, until a run does not crash. Each run crashes at a later write, and ClickHouse then merges the tables that
 * replace rows. Returns the number of crashes.
 */
export const crashUntilDone = async (
  system: TestSystem,
  distance?: number,
  run: (stores: CrashingStores) => Promise<unknown> = (stores) => system.projectOne('coffee', stores),
): Promise<number> => {
  let crashes = 0;
  for (const point of crashPoints(distance)) {
    if (!(await isCrash(run(crashingStores(system, ...point))))) break;
    crashes += 1;
    for (const table of ['detections_g1', 'plays_g1', 'quarantine_g1'])
      await system.writer.run(`OPTIMIZE TABLE ${table} FINAL`);
  }
  return crashes;
};

/** Counts the writes of the runner to the stores, and fails before or after one of them and at every later one. */
export const crashingStores = ({ parts }: TestSystem, crashAt: number, when: 'before' | 'after') => {
  let step = 0;
  const countStep = async <T>(work: () => Promise<T>): Promise<T> => {
    step += 1;
    // A retry within the same run must fail, too.
    if (step > crashAt || (step === crashAt && when === 'before')) throw new Crash();
    const done = await work();
    if (step === crashAt) throw new Crash();
    return done;
  };
  const writer: ClickHouseWriter = {
    ...parts.writer,
    insert: (insert) => countStep(() => parts.writer.insert(insert)),
    run: (query, options) => countStep(() => parts.writer.run(query, options)),
  };
  const checkpoints: CheckpointStore = {
    ...parts.checkpoints,
    advance: (advance) => countStep(() => parts.checkpoints.advance(advance)),
  };
  return { writer, checkpoints, limits: { rows: 3, bytes: 1e9, ageMs: 1_000 } };
};

type CrashingStores = ReturnType<typeof crashingStores>;
