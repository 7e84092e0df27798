import type { sendUnaryData, ServerReadableStream, ServerUnaryCall } from '@grpc/grpc-js';
import { ProtobufWriter } from '../protobuf/wire-format.ts';
import { type AppendOutcome } from '../streams/append-decision.ts';
import { countAppendBytes, type ExpectedRevision, type ProposedEvent } from '../streams/event-codec.ts';
import { type StreamStore } from '../streams/stream-store.ts';
import { decodeAppendRequest, decodeDeleteRequest, type WriteTarget } from './append-codec.ts';
import {
  appendTooLarge,
  toGrpcError,
  invalidArgument,
  serverStopping,
  streamDeleted,
  writeTimedOut,
  wrongExpectedVersion,
} from './errors.ts';
import type { OpenCalls } from './open-calls.ts';

export interface WriteLimits {
  /** Maximum size of one append. An event's size is its data and metadata plus twice the length of its type. */
  readonly appendBytes: number;
  readonly timeoutMs: number;
  /** When at least this many bytes wait for the disk, a batch append call is not read until the next write to the log has ended. */
  readonly pendingBytes: number;
}

export const defaultWriteLimits: WriteLimits = {
  appendBytes: 1024 * 1024,
  timeoutMs: 2000,
  pendingBytes: 64 * 1024 * 1024,
};

/** After a timeout, the write may still succeed. */
const withWriteTimeout = <T>(milliseconds: number, outcome: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(writeTimedOut()), milliseconds);
  });
  return Promise.race([outcome, timeout]).finally(() => clearTimeout(timer));
};

export const writeAppendSuccess = (success: ProtobufWriter, outcome: AppendOutcome & { is: 'appended' }): void => {
  if (outcome.revision < 0) success.message(2);
  else success.uint(1, outcome.revision);
  const { position } = outcome;
  if (position === undefined) success.message(4);
  else success.message(3, (inner) => inner.uint(1, position).uint(2, position));
};

const writeExpected = (target: ProtobufWriter, expected: ExpectedRevision): void => {
  if (typeof expected === 'bigint') target.uint(8, expected).uint(3, expected);
  else if (expected === 'any') target.message(9).message(4);
  else if (expected === 'stream_exists') target.message(10).message(5);
  else target.message(11);
};

/** A wrong expected revision is a response, not an error. The response has both the current fields and those of EventStoreDB 20.6. */
const encodeAppendResponse = (
  outcome: Exclude<AppendOutcome, { is: 'deleted' }>,
  expected: ExpectedRevision,
): Buffer => {
  const response = new ProtobufWriter();
  if (outcome.is === 'appended') return response.message(1, (success) => writeAppendSuccess(success, outcome)).finish();
  return response
    .message(2, (wrong) => {
      if (outcome.current < 0) wrong.message(2).message(7);
      else wrong.uint(1, outcome.current).uint(6, outcome.current);
      writeExpected(wrong, expected);
    })
    .finish();
};

const encodeDeleteResponse = (position: number): Buffer =>
  new ProtobufWriter().message(1, (inner) => inner.uint(1, position).uint(2, position)).finish();

type AppendCall = ServerReadableStream<Buffer, Buffer>;

const appendEvents = async (
  store: StreamStore,
  target: WriteTarget | undefined,
  events: readonly ProposedEvent[],
  limits: WriteLimits,
): Promise<Buffer> => {
  if (!target) throw invalidArgument('The options are missing');
  const outcome = await withWriteTimeout(
    limits.timeoutMs,
    store.appender.append(target.stream, target.expected, events),
  );
  if (outcome.is === 'deleted') throw streamDeleted(target.stream);
  return encodeAppendResponse(outcome, target.expected);
};

export const createAppendHandler =
  (store: StreamStore, calls: OpenCalls, limits: WriteLimits) =>
  (call: AppendCall, callback: sendUnaryData<Buffer>): void => {
    const events: ProposedEvent[] = [];
    let target: WriteTarget | undefined;
    let bytes = 0;
    let answered = false;
    const answer = (result: Buffer | undefined, error?: unknown): void => {
      if (answered) return;
      answered = true;
      unregister();
      if (result) callback(null, result);
      else callback(toGrpcError(error));
    };
    const unregister = calls.register(() => answer(undefined, serverStopping()));
    call.on('data', (message: Buffer) => {
      if (answered) return;
      try {
        const part = decodeAppendRequest(message);
        if (part && 'stream' in part) target = part;
        else if (part) {
          events.push(part);
          bytes += countAppendBytes(part);
          if (bytes > limits.appendBytes) throw appendTooLarge(limits.appendBytes);
        }
      } catch (error) {
        answer(undefined, error);
      }
    });
    call.on('cancelled', () => {
      answered = true;
      unregister();
    });
    call.on('end', () => {
      if (answered) return;
      appendEvents(store, target, events, limits).then(
        (result) => answer(result),
        (error: unknown) => answer(undefined, error),
      );
    });
  };

type DeleteOperation = (store: StreamStore, target: WriteTarget) => Promise<AppendOutcome>;

export const softDelete: DeleteOperation = (store, { stream, expected }) =>
  store.appender.deleteStream(stream, expected);
export const tombstoneStream: DeleteOperation = (store, { stream, expected }) =>
  store.appender.tombstone(stream, expected);

const deleteStream = async (
  store: StreamStore,
  limits: WriteLimits,
  request: Buffer,
  operation: DeleteOperation,
): Promise<Buffer> => {
  const target = decodeDeleteRequest(request);
  const outcome = await withWriteTimeout(limits.timeoutMs, operation(store, target));
  if (outcome.is === 'deleted') throw streamDeleted(target.stream);
  if (outcome.is === 'wrong-version') throw wrongExpectedVersion(target.stream, target.expected, outcome.current);
  return encodeDeleteResponse(outcome.position ?? 0);
};

export const createDeleteHandler =
  (store: StreamStore, limits: WriteLimits, operation: DeleteOperation) =>
  (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>): void => {
    deleteStream(store, limits, call.request, operation).then(
      (response) => callback(null, response),
      (error: unknown) => callback(toGrpcError(error)),
    );
  };
