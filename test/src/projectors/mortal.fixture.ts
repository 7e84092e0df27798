import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { CheckpointStore } from '@popsvc/platform/postgres';
import type { TestSystem } from '../support/test-system.ts';

export class Crash extends Error {}

/** Counts what the runner does to the stores, and dies before or after one of those steps. */
export const crashingStores = ({ parts }: TestSystem, dieAt: number, when: 'before' | 'after') => {
  let step = 0;
  const dying = async <T>(work: () => Promise<T>): Promise<T> => {
    step += 1;
    // The dead stay dead: a retry within the same life must not bring them back.
    if (step > dieAt || (step === dieAt && when === 'before')) throw new Crash();
    const done = await work();
    if (step === dieAt) throw new Crash();
    return done;
  };
  const writer: ClickHouseWriter = {
    ...parts.writer,
    insert: (insert) => dying(() => parts.writer.insert(insert)),
    run: (query, options) => dying(() => parts.writer.run(query, options)),
  };
  const checkpoints: CheckpointStore = {
    ...parts.checkpoints,
    advance: (advance) => dying(() => parts.checkpoints.advance(advance)),
  };
  return { writer, checkpoints, limits: { rows: 3, bytes: 1e9, ageMs: 1_000 } };
};
