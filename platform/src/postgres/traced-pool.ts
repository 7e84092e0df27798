import type pg from 'pg';
import { isTracingEnabled, type SpanOptions, runInSpan } from '../telemetry/index.ts';

type Ask = (...given: readonly unknown[]) => unknown;

const textOf = (given: unknown): string => (typeof given === 'string' ? given : (given as { text: string }).text);

/** Its values stand beside it, and are not told. */
const asked = (given: unknown): SpanOptions => {
  const text = textOf(given).trim().replace(/\s+/g, ' ');
  const operation = /^\w+/.exec(text)?.[0].toUpperCase() ?? 'statement';
  return {
    name: `postgresql ${operation}`,
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text },
  };
};

/** The pool asks its connections by call-back, what it was asked itself is seen already. */
const isSeen = (given: readonly unknown[]): boolean => typeof given.at(-1) === 'function';

const seen = (owner: { query: unknown }): void => {
  const query = (owner.query as Ask).bind(owner);
  owner.query = (...given: readonly unknown[]) =>
    isSeen(given)
      ? query(...given)
      : runInSpan(
          () => asked(given[0]),
          () => query(...given) as Promise<unknown>,
        );
};

/** Has the statements of a pool and of its transactions seen in traces, where there are any. */
export const tracedPool = (pool: pg.Pool): pg.Pool => {
  if (!isTracingEnabled()) return pool;
  seen(pool);
  return pool.on('connect', seen);
};
