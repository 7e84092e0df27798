import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { CheckpointStore } from '@popsvc/platform/postgres';
import type { TestSystem } from '../../support/test-system.ts';

export class Crash extends Error {}

/**
 * The crashes of a test that crashes at every write. A crash before a write leaves the same stores as one after the write before it,
 * so every second write is enough: after the first, before the third, after the fifth and so on.
 */
export function* crashPoints(): Generator<readonly [crashAt: number, when: 'before' | 'after']> {
  for (let crashAt = 1; ; crashAt += 2) yield [crashAt, crashAt % 4 === 1 ? 'after' : 'before'];
}

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
