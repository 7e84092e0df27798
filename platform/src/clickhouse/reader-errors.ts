import { Transform, type TransformCallback } from 'node:stream';
import { ClickHouseError, parseError } from '@clickhouse/client';
import { ApiError } from '@popsvc/contracts/errors';

/** Errors of a replica that is new, behind or without Keeper. The query may succeed on another replica. */
const replicaErrors = [
  'ALL_CONNECTION_TRIES_FAILED',
  'KEEPER_EXCEPTION',
  'NOT_A_LEADER',
  'REPLICA_IS_NOT_IN_QUORUM',
  'TABLE_IS_READ_ONLY',
  'TOO_FEW_LIVE_REPLICAS',
  'UNKNOWN_DATABASE',
  'UNKNOWN_STATUS_OF_INSERT',
];

const transientErrors = new Set([
  'TIMEOUT_EXCEEDED',
  'TOO_MANY_SIMULTANEOUS_QUERIES',
  'TOO_SLOW',
  'MEMORY_LIMIT_EXCEEDED',
  'QUOTA_EXCEEDED',
  'QUERY_WAS_CANCELLED',
  'ABORTED',
  'SOCKET_TIMEOUT',
  'NETWORK_ERROR',
  ...replicaErrors,
]);

/** The projectors create missing tables when they start. During an upgrade, query-api may run before the projectors. */
const missingSchemaErrors = new Set([
  'UNKNOWN_DATABASE',
  'UNKNOWN_TABLE',
  'UNKNOWN_IDENTIFIER',
  'NO_SUCH_COLUMN_IN_TABLE',
  'NOT_FOUND_COLUMN_IN_BLOCK',
]);
/** ClickHouse reports a missing dictionary as BAD_ARGUMENTS. */
const mentionsDictionary = /\bdict_\w+|dictionary/i;

const isSchemaMissing = ({ type = '', message }: ClickHouseError): boolean =>
  missingSchemaErrors.has(type) || (type === 'BAD_ARGUMENTS' && mentionsDictionary.test(message));

/** ClickHouse errors for files of a table that are damaged, too short or missing. */
const damageErrors = new Set([
  'ATTEMPT_TO_READ_AFTER_EOF',
  'BAD_DATA_PART_NAME',
  'BAD_SIZE_OF_FILE_IN_DATA_PART',
  'CANNOT_DECOMPRESS',
  'CANNOT_OPEN_FILE',
  'CANNOT_READ_ALL_DATA',
  'CHECKSUM_DOESNT_MATCH',
  'CORRUPTED_DATA',
  'FILE_DOESNT_EXIST',
  'INCORRECT_MARK',
  'NO_FILE_IN_DATA_PART',
  'SIZES_OF_MARKS_FILES_ARE_INCONSISTENT',
  'TOO_LARGE_SIZE_COMPRESSED',
  'UNEXPECTED_END_OF_FILE',
  'UNEXPECTED_FILE_IN_DATA_PART',
  'UNKNOWN_CODEC',
]);

export const isDataDamaged = (error: unknown): error is Error => {
  const source: unknown = error instanceof ApiError ? error.cause : error;
  return source instanceof ClickHouseError && damageErrors.has(source.type ?? '');
};

export const hasServerErrorType = (error: unknown, types: readonly string[]): boolean =>
  error instanceof ClickHouseError && types.includes(error.type ?? '');

/** An error that is neither a ClickHouseError nor an ApiError, such as a broken connection, counts as an unavailable replica. */
export const isReplicaUnavailable = (error: unknown): boolean => {
  const source: unknown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return source instanceof ClickHouseError ? replicaErrors.includes(source.type ?? '') : !(source instanceof ApiError);
};

const retryAfterSeconds = 5;
const retryAfterDamageSeconds = 30;

/**
 * Returns an ApiError unchanged. Other errors become an ApiError UNAVAILABLE if a retry may succeed, REBUILDING if the data is damaged,
 * else an Error whose message has no details.
 */
export const toReadError = (cause: unknown): Error => {
  if (cause instanceof ApiError) return cause;
  if (cause instanceof ClickHouseError && isSchemaMissing(cause))
    return new ApiError('UNAVAILABLE', 'The requested data is not available yet. Retry later.', {
      cause,
      retryAfterSeconds,
    });
  if (isDataDamaged(cause))
    return new ApiError('REBUILDING', undefined, { cause, retryAfterSeconds: retryAfterDamageSeconds });
  if (cause instanceof ClickHouseError && !transientErrors.has(cause.type ?? ''))
    return new Error('ClickHouse rejected a query', { cause });
  return new ApiError('UNAVAILABLE', undefined, { cause });
};

export const isTableMissing = (error: unknown): boolean =>
  error instanceof ApiError && error.cause instanceof ClickHouseError && error.cause.type === 'UNKNOWN_TABLE';

const maxMessageBytes = 16_384;
/** Length in bytes of the `\r\n` at the start of the error marker. */
const lineEndBytes = 2;

const markersOf = (tag: string) => ({
  marker: Buffer.from(`\r\n__exception__\r\n${tag}\r\n`),
  endMarker: Buffer.from(` ${tag}\r\n__exception__\r\n`),
});

export const throwMarkedError = (response: Buffer, tag: string): void => {
  const { marker } = markersOf(tag);
  const at = response.lastIndexOf(marker);
  if (at >= 0) throw parseError(response.toString('utf8', at + marker.length));
};

/**
 * If a query fails after rows were sent, ClickHouse writes the error between markers that contain the tag from a response header.
 */
export const failOnMarkedError = (tag: string, onBytes?: (bytes: Buffer) => void): Transform => {
  const { marker, endMarker } = markersOf(tag);
  // Rows of CSV end with `\r\n`, so a search for the whole marker would take 5 µs per 64 KiB instead of 1 µs.
  const searched = marker.subarray(lineEndBytes);
  const findMarker = (bytes: Buffer) => bytes.indexOf(searched) - lineEndBytes;
  let held: Buffer = Buffer.alloc(0);
  let message: Buffer | undefined;
  const collectMessage = (bytes: Buffer, done: TransformCallback) => {
    message = bytes;
    if (bytes.includes(endMarker) || bytes.length > maxMessageBytes) done(parseError(bytes.toString('utf8')));
    else done();
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (message) {
        collectMessage(Buffer.concat([message, chunk]), done);
        return;
      }
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const at = findMarker(bytes);
      if (at >= 0) {
        const whole = bytes.subarray(0, at);
        onBytes?.(whole);
        this.push(whole);
        collectMessage(bytes.subarray(at + marker.length), done);
        return;
      }
      const safe = bytes.length - partialMarkerBytes(bytes, marker);
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

/** Returns how many bytes at the end of a chunk may be the start of the marker. */
const partialMarkerBytes = (bytes: Buffer, marker: Buffer): number => {
  const first = marker[0]!;
  const from = Math.max(0, bytes.length - marker.length + 1);
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1))
    if (marker.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return bytes.length - at;
  return 0;
};
