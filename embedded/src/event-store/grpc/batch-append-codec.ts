import { status } from '@grpc/grpc-js';
import { ProtobufReader, ProtobufWriter } from '../protobuf/wire-format.ts';
import { type AppendOutcome } from '../streams/append-decision.ts';
import { type ExpectedRevision, type ProposedEvent } from '../streams/event-codec.ts';
import { decodeProposedEvent, decodeTargetField } from './append-codec.ts';
import { writeAppendSuccess } from './append.ts';
import { GrpcError } from './errors.ts';

interface BatchError {
  readonly code: status;
  readonly type: string;
  /** Becomes a part of the message, because the client does not report the details. */
  readonly reason?: string;
  readonly fill?: (details: ProtobufWriter) => void;
}

export interface BatchTarget {
  readonly correlationId: Buffer;
  readonly stream: string;
  readonly expected: ExpectedRevision | undefined;
}

const writeStream = (target: ProtobufWriter, field: number, stream: string): ProtobufWriter =>
  target.message(field, (identifier) => identifier.text(3, stream));

const writeExpectedPosition = (response: ProtobufWriter, expected: ExpectedRevision | undefined): void => {
  if (typeof expected === 'bigint') response.uint(5, expected);
  else if (expected === 'no_stream') response.message(6);
  else if (expected === 'any') response.message(7);
  else if (expected === 'stream_exists') response.message(8);
};

const finish = (response: ProtobufWriter, { stream, expected }: BatchTarget): Buffer => {
  writeStream(response, 4, stream);
  writeExpectedPosition(response, expected);
  return response.finish();
};

const encodeBatchSuccess = (target: BatchTarget, outcome: AppendOutcome & { is: 'appended' }): Buffer => {
  const response = new ProtobufWriter().bytes(1, target.correlationId);
  return finish(
    response.message(3, (success) => writeAppendSuccess(success, outcome)),
    target,
  );
};

/** The client recognizes the error by the type name in the details of the google.rpc.Status. */
export const encodeBatchError = (target: BatchTarget, error: BatchError): Buffer => {
  const details = new ProtobufWriter();
  error.fill?.(details);
  const response = new ProtobufWriter().bytes(1, target.correlationId).message(2, (rpcStatus) => {
    rpcStatus.uint(1, error.code).text(2, error.reason === undefined ? error.type : `${error.type}: ${error.reason}`);
    rpcStatus.message(3, (any) => {
      any.text(1, `type.googleapis.com/event_store.client.${error.type}`).bytes(2, details.finish());
    });
  });
  return finish(response, target);
};

const wrongBatchVersion = (current: number, expected: ExpectedRevision): BatchError => ({
  code: status.ALREADY_EXISTS,
  type: 'WrongExpectedVersion',
  fill: (details) => {
    if (current < 0) details.message(2);
    else details.uint(1, current);
    if (typeof expected === 'bigint') details.uint(3, expected);
    else details.message({ any: 4, stream_exists: 5, no_stream: 6 }[expected]);
  },
});

const deletedStream = (stream: string): BatchError => ({
  code: status.NOT_FOUND,
  type: 'StreamDeleted',
  fill: (details) => writeStream(details, 1, stream),
});

export const batchTimeout: BatchError = { code: status.DEADLINE_EXCEEDED, type: 'Timeout' };

export const batchTooLarge = (limit: number): BatchError => ({
  code: status.INVALID_ARGUMENT,
  type: 'MaximumAppendSizeExceeded',
  fill: (details) => details.uint(1, limit),
});

export const badBatchRequest = (message: string): BatchError => ({
  code: status.INVALID_ARGUMENT,
  type: 'BadRequest',
  reason: message,
  fill: (details) => details.text(1, message),
});

export const encodeBatchOutcome = (target: BatchTarget, outcome: AppendOutcome): Buffer => {
  if (outcome.is === 'appended') return encodeBatchSuccess(target, outcome);
  if (outcome.is === 'deleted') return encodeBatchError(target, deletedStream(target.stream));
  return encodeBatchError(target, wrongBatchVersion(outcome.current, target.expected ?? 'any'));
};

interface BatchOptions {
  readonly stream: string | undefined;
  readonly expected: ExpectedRevision | undefined;
  /** Counted from the receipt of the append's first message; at most 0 if the deadline has passed. */
  readonly timeoutMs: number;
}

/** One append may consist of several messages with the same correlation id. */
export interface BatchAppendRequest {
  readonly correlationId: Buffer;
  readonly options: BatchOptions | undefined;
  readonly events: readonly ProposedEvent[];
  readonly failure: GrpcError | undefined;
  readonly isFinal: boolean;
}

/** Timestamp and Duration have the same fields: seconds and nanoseconds. */
const decodeMilliseconds = (time: ProtobufReader): number => {
  let milliseconds = 0;
  for (let tag = time.tag(); tag !== 0; tag = time.tag()) {
    if (tag === 8) milliseconds += Number(BigInt.asIntN(64, time.bigint())) * 1000;
    else if (tag === 16) milliseconds += Number(BigInt.asIntN(64, time.bigint())) / 1e6;
    else time.skip(tag);
  }
  return milliseconds;
};

const decodeBatchOptions = (options: ProtobufReader): BatchOptions => {
  const target: { stream: string | undefined; expected: ExpectedRevision | undefined } = {
    stream: undefined,
    expected: undefined,
  };
  let timeoutMs = Infinity;
  for (let tag = options.tag(); tag !== 0; tag = options.tag()) {
    if (tag === 50) timeoutMs = decodeMilliseconds(options.message()) - Date.now();
    else if (tag === 58) timeoutMs = decodeMilliseconds(options.message());
    else if (!decodeTargetField(options, tag, target)) options.skip(tag);
  }
  return { ...target, timeoutMs };
};

export const decodeBatchAppendRequest = (bytes: Buffer): BatchAppendRequest => {
  const request = new ProtobufReader(bytes);
  let correlationId: Buffer = Buffer.alloc(0);
  let options: BatchOptions | undefined;
  let failure: GrpcError | undefined;
  let isFinal = false;
  const events: ProposedEvent[] = [];
  for (let tag = request.tag(); tag !== 0; tag = request.tag()) {
    if (tag === 10) correlationId = request.bytes();
    else if (tag === 18) options = decodeBatchOptions(request.message());
    else if (tag === 32) isFinal = request.number() !== 0;
    else if (tag === 26) {
      try {
        events.push(decodeProposedEvent(request.message()));
      } catch (error) {
        if (!(error instanceof GrpcError)) throw error;
        failure ??= error;
      }
    } else request.skip(tag);
  }
  return { correlationId, options, events, failure, isFinal };
};
