import { ClickHouseError } from '@clickhouse/client';
import { Refusal } from '@popsvc/contracts/errors';

/** Answers of a server that will do better later: too slow, too busy, out of memory, starting, its tables not made yet. */
const passing = new Set([
  'TIMEOUT_EXCEEDED',
  'TOO_MANY_SIMULTANEOUS_QUERIES',
  'TOO_SLOW',
  'MEMORY_LIMIT_EXCEEDED',
  'QUOTA_EXCEEDED',
  'UNKNOWN_DATABASE',
  'UNKNOWN_TABLE',
  'QUERY_WAS_CANCELLED',
  'ABORTED',
  'SOCKET_TIMEOUT',
  'NETWORK_ERROR',
]);

/** What a caller hears of a failed read: that it cannot be answered now, or (as any other error) nothing of the inside. */
export const readFailure = (cause: unknown): Error => {
  if (cause instanceof Refusal) return cause;
  if (cause instanceof ClickHouseError && !passing.has(cause.type ?? ''))
    return new Error('ClickHouse refused a query', { cause });
  return new Refusal('UNAVAILABLE', undefined, { cause });
};

/** Whether a read failed because a table is not there: dropped, or not made yet. */
export const isTableGone = (error: unknown): boolean =>
  error instanceof Refusal && error.cause instanceof ClickHouseError && error.cause.type === 'UNKNOWN_TABLE';
