import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { type CheckpointStore, type LeaseStore, createLeaseStore } from '@popsvc/platform/postgres';
import type { ReplayDependencies } from '@popsvc/projectors/engine/replay';
import type { PoolClient } from 'pg';
import { Crash } from '../runner/crashing-stores.fixture.ts';

export interface CrashingReplay {
  readonly parts: ReplayDependencies;
  /** Number of steps so far. */
  readonly steps: () => number;
  /** Aborts when the coordinator is killed. */
  readonly dead: AbortSignal;
}

/** Counts the writes of a replay's coordinator to the stores, and fails at one of them and at every later one. */
export const crashingReplay = (parts: ReplayDependencies, killAt: number): CrashingReplay => {
  const killed = new AbortController();
  let step = 0;
  const kill = () => {
    killed.abort();
    throw new Crash();
  };
  const countStep = async <T>(work: () => Promise<T>): Promise<T> => {
    step += 1;
    if (step > killAt) return kill();
    // Half of the kills come before the step, half after it.
    if (step === killAt && killAt % 2 === 0) return kill();
    const done = await work();
    if (step >= killAt) return kill();
    return done;
  };
  /** The number of reads depends on the duration of the waits, so reads are not counted. */
  const read = <T>(work: () => Promise<T>): Promise<T> =>
    killed.signal.aborted ? Promise.reject(new Crash()) : work();
  const wrapped = <T extends object>(of: T, names: readonly (keyof T)[]): T => ({
    ...of,
    ...Object.fromEntries(
      names.map((name) => [
        name,
        (...args: unknown[]) =>
          countStep(() => (of[name] as (...given: unknown[]) => Promise<unknown>).apply(of, args)),
      ]),
    ),
  });
  /** The connection of a killed process is closed. */
  const connect = async () => {
    let client: PoolClient | undefined;
    try {
      return await countStep(async () => (client = await parts.postgres.connect()));
    } catch (error) {
      client?.release(true);
      throw error;
    }
  };
  const postgres = new Proxy(parts.postgres, {
    get: (of, name) => {
      const value: unknown = Reflect.get(of, name);
      if (name === 'connect') return connect;
      if (name !== 'query') return value;
      return (...args: unknown[]) => {
        const isRead = typeof args[0] === 'string' && /^\s*SELECT/.test(args[0]);
        return (isRead ? read : countStep)(() => (value as (...given: unknown[]) => Promise<unknown>).apply(of, args));
      };
    },
  });
  return {
    parts: {
      ...parts,
      postgres,
      writer: wrapped<ClickHouseWriter>(parts.writer, ['insert', 'run', 'rows']),
      checkpoints: {
        ...wrapped<CheckpointStore>(parts.checkpoints, ['beginBatch', 'advance']),
        read: (key) => read(() => parts.checkpoints.read(key)),
      },
      leases: createLeaseStore(postgres) satisfies LeaseStore,
    },
    steps: () => step,
    dead: killed.signal,
  };
};
