import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { type CheckpointStore, type LeaseStore, createLeaseStore } from '@popsvc/platform/postgres';
import type { ReplayDependencies } from '@popsvc/projectors/engine/replay';
import type { PoolClient } from 'pg';
import { Crash } from '../projectors/mortal.fixture.ts';

export interface Mortal {
  readonly parts: ReplayDependencies;
  /** How many steps it has taken. */
  readonly steps: () => number;
  /** Aborted when it dies. */
  readonly dead: AbortSignal;
}

/** Counts what a conductor of replays does to the stores, and dies at one of those steps; the dead stay dead. */
export const mortalReplay = (parts: ReplayDependencies, dieAt: number): Mortal => {
  const death = new AbortController();
  let step = 0;
  const die = () => {
    death.abort();
    throw new Crash();
  };
  const dying = async <T>(work: () => Promise<T>): Promise<T> => {
    step += 1;
    if (step > dieAt) return die();
    // Half of the deaths come before the step, half after it.
    if (step === dieAt && dieAt % 2 === 0) return die();
    const done = await work();
    if (step >= dieAt) return die();
    return done;
  };
  /** How often something is looked at depends on how long it takes: that is no step. */
  const looking = <T>(look: () => Promise<T>): Promise<T> =>
    death.signal.aborted ? Promise.reject(new Crash()) : look();
  /** What fails after the last word was spoken is heard by nobody. */
  const wrapped = <T extends object>(of: T, names: readonly (keyof T)[]): T => ({
    ...of,
    ...Object.fromEntries(
      names.map((name) => [
        name,
        (...args: unknown[]) => dying(() => (of[name] as (...given: unknown[]) => Promise<unknown>).apply(of, args)),
      ]),
    ),
  });
  /** The connection of who dies when he has it is closed, as his process would. */
  const connect = async () => {
    let client: PoolClient | undefined;
    try {
      return await dying(async () => (client = await parts.postgres.connect()));
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
        const isLook = typeof args[0] === 'string' && /^\s*SELECT/.test(args[0]);
        return (isLook ? looking : dying)(() => (value as (...given: unknown[]) => Promise<unknown>).apply(of, args));
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
        read: (key) => looking(() => parts.checkpoints.read(key)),
      },
      leases: createLeaseStore(postgres) satisfies LeaseStore,
    },
    steps: () => step,
    dead: death.signal,
  };
};
