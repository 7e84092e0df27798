import { Transform, type TransformCallback } from 'node:stream';
import { ClickHouseError, parseError } from '@clickhouse/client';
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

const maxMessageBytes = 16_384;
/** Bytes of the line end a mark begins with. */
const lineEnd = 2;

/**
 * Passes a response on and fails where the server failed. A server that fails midway writes its error after the rows,
 * between marks it announced in the headers; nothing of it is passed on, and what follows no longer counts.
 * `onBytes` sees what is passed on.
 */
export const failingWhereMarked = (tag: string, onBytes?: (bytes: Buffer) => void): Transform => {
  const mark = Buffer.from(`\r\n__exception__\r\n${tag}\r\n`);
  const end = Buffer.from(` ${tag}\r\n__exception__\r\n`);
  // Without the line end before it, which every row has, too: to stop at each took 5 µs of 64 KiB, and this takes 1.
  const sought = mark.subarray(lineEnd);
  const markIn = (bytes: Buffer) => bytes.indexOf(sought) - lineEnd;
  let held: Buffer = Buffer.alloc(0);
  let message: Buffer | undefined;
  const hear = (bytes: Buffer, done: TransformCallback) => {
    message = bytes;
    if (bytes.includes(end) || bytes.length > maxMessageBytes) done(parseError(bytes.toString('utf8')));
    else done();
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (message) {
        hear(Buffer.concat([message, chunk]), done);
        return;
      }
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const at = markIn(bytes);
      if (at >= 0) {
        const whole = bytes.subarray(0, at);
        onBytes?.(whole);
        this.push(whole);
        hear(bytes.subarray(at + mark.length), done);
        return;
      }
      const safe = bytes.length - beginning(bytes, mark);
      held = bytes.subarray(safe);
      const whole = bytes.subarray(0, safe);
      onBytes?.(whole);
      done(null, whole);
    },
    flush(done) {
      if (message) done(parseError(message.toString('utf8')));
      else {
        onBytes?.(held);
        done(null, held);
      }
    },
  });
};

/** How many bytes at the end could be the beginning of the mark, cut by the end of a chunk. */
const beginning = (bytes: Buffer, mark: Buffer): number => {
  const first = mark[0]!;
  const from = Math.max(0, bytes.length - mark.length + 1);
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1))
    if (mark.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return bytes.length - at;
  return 0;
};
