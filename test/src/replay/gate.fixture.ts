import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { ReplayDependencies } from '@popsvc/projectors/engine/replay';
import type { Replaying } from './replaying.fixture.ts';

const patienceMs = 20_000;

/** A place where somebody waits until it is opened. */
export const gate = () => {
  let reach = () => {};
  let open = () => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    pass: async () => {
      reach();
      await opened;
    },
    /** Until somebody waits there. */
    async reached() {
      const late = new AbortController();
      const timer = sleep(patienceMs, undefined, { signal: late.signal }).then(() => {
        throw new Error('nobody came to the gate');
      });
      await Promise.race([reached, timer]).finally(() => late.abort());
    },
    open: () => open(),
  };
};

type Doing = 'run' | 'rows';

/** Parts whose statements of a kind do something else first. */
export const before = (
  parts: ReplayDependencies,
  doing: Doing,
  isMeant: (query: string) => boolean,
  first: () => Promise<unknown>,
): ReplayDependencies => {
  const { writer } = parts;
  const wrapped: ClickHouseWriter = {
    ...writer,
    async run(query, options) {
      if (doing === 'run' && isMeant(query)) await first();
      await writer.run(query, options);
    },
    async rows<Row>(query: string, options = {}) {
      if (doing === 'rows' && isMeant(query)) await first();
      return writer.rows<Row>(query, options);
    },
  };
  return { ...parts, writer: wrapped };
};

/** Whether a statement compares. */
export const compares = (query: string): boolean => query.includes('cityHash64');

/** Copies that were made to be compared, and generations that are held. */
export const leftBy = async ({ writer, postgres }: Replaying) => {
  const copies = await writer.rows<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND match(name, '_at_[0-9]')`,
  );
  const { rows: held } = await postgres.query<{ projection: string }>(
    'SELECT projection FROM generations WHERE held_until > now()',
  );
  return { copies: copies.map(({ name }) => name), held };
};
