import { ClickHouseError } from '@clickhouse/client';
import { ApiError } from '@popsvc/contracts/errors';

/** Answers of a server that will do better later: too slow, too busy, out of memory, starting. */
const passing = new Set([
  'TIMEOUT_EXCEEDED',
  'TOO_MANY_SIMULTANEOUS_QUERIES',
  'TOO_SLOW',
  'MEMORY_LIMIT_EXCEEDED',
  'QUOTA_EXCEEDED',
  'QUERY_WAS_CANCELLED',
  'ABORTED',
  'SOCKET_TIMEOUT',
  'NETWORK_ERROR',
]);

/** What a build hears that is ahead of the tables: the projectors make them when they start, and are replaced first. */
const ahead = new Set([
  'UNKNOWN_DATABASE',
  'UNKNOWN_TABLE',
  'UNKNOWN_IDENTIFIER',
  'NO_SUCH_COLUMN_IN_TABLE',
  'NOT_FOUND_COLUMN_IN_BLOCK',
]);
const noDictionary = /\bdict_\w+|[Dd]ictionary/;

const isAhead = ({ type = '', message }: ClickHouseError): boolean =>
  ahead.has(type) || (type === 'BAD_ARGUMENTS' && noDictionary.test(message));

const retryAfterSeconds = 5;

/** What a caller hears of a failed read: that it cannot be answered now, or (as any other error) nothing of the inside. */
export const readFailure = (cause: unknown): Error => {
  if (cause instanceof ApiError) return cause;
  if (cause instanceof ClickHouseError && isAhead(cause))
    return new ApiError('UNAVAILABLE', 'What is asked for is not there yet; try again.', { cause, retryAfterSeconds });
  if (cause instanceof ClickHouseError && !passing.has(cause.type ?? ''))
    return new Error('ClickHouse refused a query', { cause });
  return new ApiError('UNAVAILABLE', undefined, { cause });
};

/** Whether a read failed because a table is not there: dropped, or not made yet. */
export const isTableMissing = (error: unknown): boolean =>
  error instanceof ApiError && error.cause instanceof ClickHouseError && error.cause.type === 'UNKNOWN_TABLE';
