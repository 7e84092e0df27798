import { Metadata, status } from '@grpc/grpc-js';
import { type ExpectedRevision } from '../streams/index.ts';

/** An answer that is an error of the call: a status, and trailers that tell the client which error class it is. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;

  constructor(code: status, details: string, trailers: Readonly<Record<string, string>> = {}) {
    super(details);
    this.code = code;
    this.details = details;
    this.metadata = new Metadata();
    for (const [key, value] of Object.entries(trailers)) this.metadata.add(key, printable(value));
  }
}

const longestTrailer = 1024;

/** Trailers hold printable ASCII only; anything else would make the call fail with another error than the true one. */
const printable = (value: string): string =>
  value
    .replaceAll(/[^ -~]/gu, (char) => (/[\ud800-\udfff]/u.test(char) ? '?' : encodeURIComponent(char)))
    .slice(0, longestTrailer);

export const invalid = (details: string): Failure => new Failure(status.INVALID_ARGUMENT, details);

export const streamDeleted = (stream: string): Failure =>
  new Failure(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

const versionNumbers = { no_stream: -1n, any: -2n, stream_exists: -4n };

export const wrongVersion = (stream: string, expected: ExpectedRevision, current: number): Failure => {
  const version = typeof expected === 'bigint' ? expected : versionNumbers[expected];
  const details =
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, ` +
    `Expected version: ${version.toString()}, Actual version: ${current}`;
  return new Failure(status.FAILED_PRECONDITION, details, {
    exception: 'wrong-expected-version',
    'stream-name': stream,
    'expected-version': version.toString(),
    'actual-version': String(current),
  });
};

export const appendTooLarge = (limit: number): Failure =>
  new Failure(status.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(limit),
  });

export const metadataMissing = (property: string): Failure =>
  new Failure(status.INVALID_ARGUMENT, `Required Metadata Property '${property}' is missing`, {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });

export const timedOut = (): Failure =>
  new Failure(status.ABORTED, 'Operation timed out: the write was not confirmed in time');

export const stopping = (): Failure => new Failure(status.CANCELLED, 'The server is stopping');

/** Whatever was thrown, as something that may be sent. */
export const failureOf = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure(status.UNKNOWN, error instanceof Error ? error.message : String(error));
