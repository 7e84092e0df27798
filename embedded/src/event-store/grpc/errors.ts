import { Metadata, status } from '@grpc/grpc-js';
import { DamagedRecordError, LogNotWritableError } from '../log/damage.ts';
import { type ExpectedRevision } from '../streams/event-codec.ts';

/** The trailers determine which error class the client throws. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError';
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;

  constructor(code: status, details: string, trailers: Readonly<Record<string, string>> = {}) {
    super(details);
    this.code = code;
    this.details = details;
    this.metadata = new Metadata();
    for (const [key, value] of Object.entries(trailers)) this.metadata.add(key, toPrintableAscii(value));
  }
}

const maxTrailerLength = 1024;

/** Other characters in a trailer would make the call fail with an unrelated error. */
const toPrintableAscii = (value: string): string =>
  value
    .replaceAll(/[^ -~]/gu, (char) => (/[\ud800-\udfff]/u.test(char) ? '?' : encodeURIComponent(char)))
    .slice(0, maxTrailerLength);

export const invalidArgument = (details: string): GrpcError => new GrpcError(status.INVALID_ARGUMENT, details);

/** EventStoreDB uses UNKNOWN here, and INVALID_ARGUMENT for other missing options. */
export const missingStart = (): GrpcError =>
  new GrpcError(status.UNKNOWN, 'The read names neither a revision or position nor the start or the end');

export const streamDeleted = (stream: string): GrpcError =>
  new GrpcError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

const versionNumbers = { no_stream: -1n, any: -2n, stream_exists: -4n };

export const wrongExpectedVersion = (stream: string, expected: ExpectedRevision, current: number): GrpcError => {
  const version = typeof expected === 'bigint' ? expected : versionNumbers[expected];
  const details =
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, ` +
    `Expected version: ${version.toString()}, Actual version: ${current}`;
  return new GrpcError(status.FAILED_PRECONDITION, details, {
    exception: 'wrong-expected-version',
    'stream-name': stream,
    'expected-version': version.toString(),
    'actual-version': String(current),
  });
};

export const appendTooLarge = (limit: number): GrpcError =>
  new GrpcError(status.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(limit),
  });

export const missingMetadata = (property: string): GrpcError =>
  new GrpcError(status.INVALID_ARGUMENT, `Required Metadata Property '${property}' is missing`, {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });

export const writeTimedOut = (): GrpcError =>
  new GrpcError(status.ABORTED, 'Operation timed out: the write was not confirmed in time');

export const serverStopping = (): GrpcError => new GrpcError(status.CANCELLED, 'The server is stopping');

export const toGrpcError = (error: unknown): GrpcError => {
  if (error instanceof GrpcError) return error;
  if (error instanceof DamagedRecordError) return new GrpcError(status.DATA_LOSS, error.message);
  if (error instanceof LogNotWritableError) return new GrpcError(status.UNAVAILABLE, error.message);
  return new GrpcError(status.UNKNOWN, error instanceof Error ? error.message : String(error));
};
