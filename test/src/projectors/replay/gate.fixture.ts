import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { ReplayDependencies } from '@popsvc/projectors/engine/replay';
import type { ReplaySystem } from './replay-system.fixture.ts';

const timeoutMs = 60_000;

/** A point at which a caller waits until the test opens it. */
export const createGate = () => {
  let reach = () => {};
  let open = () => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    pass: async () => {
      reach();
      await opened;
    },
    /** Resolves when a caller waits. */
    async reached() {
      const late = new AbortController();
      const timer = sleep(timeoutMs, undefined, { signal: late.signal }).then(() => {
        throw new Error('no caller reached the gate');
      });
      await Promise.race([reached, timer]).finally(() => late.abort());
    },
    open: () => open(),
  };
};

type StatementKind = 'run' | 'rows';

/** Runs `first` before each matching statement. */
export const interceptStatements = (
  parts: ReplayDependencies,
  kind: StatementKind,
  matches: (query: string) => boolean,
  first: () => Promise<unknown>,
): ReplayDependencies => {
  const { writer } = parts;
  const wrapped: ClickHouseWriter = {
    ...writer,
    async run(query, options) {
      if (kind === 'run' && matches(query)) await first();
      await writer.run(query, options);
    },
    async rows<Row>(query: string, options = {}) {
      if (kind === 'rows' && matches(query)) await first();
      return writer.rows<Row>(query, options);
    },
  };
  return { ...parts, writer: wrapped };
};

/** Whether a statement compares generations. */
export const compares = (query: string): boolean => query.includes('cityHash64');

/** Lists the snapshots that remain, and the paused generations. A switch leaves the former generation, which is kept, paused for 10 s. */
export const readLeftovers = async ({ writer, postgres }: ReplaySystem) => {
  const copies = await writer.rows<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND match(name, '_at_[0-9]')`,
  );
  const { rows: held } = await postgres.query<{ projection: string }>(
    `SELECT projection FROM generations WHERE held_until > now() AND state <> 'kept'`,
  );
  return { copies: copies.map(({ name }) => name), held };
};
