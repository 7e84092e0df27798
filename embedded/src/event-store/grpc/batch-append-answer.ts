import { status } from '@grpc/grpc-js';
import { type AppendOutcome, type ExpectedRevision } from '../streams/index.ts';
import { ProtobufWriter } from '../protobuf/wire-writer.ts';
import { writeSuccess } from './append-answer.ts';

/** What went wrong with one batch; the call goes on. */
export interface BatchError {
  readonly code: status;
  readonly type: string;
  readonly fill?: (details: ProtobufWriter) => void;
}

export interface BatchTarget {
  readonly correlationId: Buffer;
  readonly stream: string;
  readonly expected: ExpectedRevision | undefined;
}

const writeStream = (target: ProtobufWriter, field: number, stream: string): ProtobufWriter =>
  target.message(field, (identifier) => identifier.text(3, stream));

const writeExpectedPosition = (answer: ProtobufWriter, expected: ExpectedRevision | undefined): void => {
  if (typeof expected === 'bigint') answer.uint(5, expected);
  else if (expected === 'no_stream') answer.message(6);
  else if (expected === 'any') answer.message(7);
  else if (expected === 'stream_exists') answer.message(8);
};

const finish = (answer: ProtobufWriter, { stream, expected }: BatchTarget): Buffer => {
  writeStream(answer, 4, stream);
  writeExpectedPosition(answer, expected);
  return answer.finish();
};

const batchSuccess = (target: BatchTarget, outcome: AppendOutcome & { is: 'appended' }): Buffer => {
  const answer = new ProtobufWriter().bytes(1, target.correlationId);
  return finish(
    answer.message(3, (success) => writeSuccess(success, outcome)),
    target,
  );
};

/** A google.rpc.Status whose details name the error; the client tells errors apart by that name. */
export const batchError = (target: BatchTarget, error: BatchError): Buffer => {
  const details = new ProtobufWriter();
  error.fill?.(details);
  const answer = new ProtobufWriter().bytes(1, target.correlationId).message(2, (rpcStatus) => {
    rpcStatus.uint(1, error.code).text(2, error.type);
    rpcStatus.message(3, (any) => {
      any.text(1, `type.googleapis.com/event_store.client.${error.type}`).bytes(2, details.finish());
    });
  });
  return finish(answer, target);
};

const wrongExpectedVersion = (current: number, expected: ExpectedRevision): BatchError => ({
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

export const timeout: BatchError = { code: status.DEADLINE_EXCEEDED, type: 'Timeout' };

export const tooLarge = (limit: number): BatchError => ({
  code: status.INVALID_ARGUMENT,
  type: 'MaximumAppendSizeExceeded',
  fill: (details) => details.uint(1, limit),
});

export const badRequest = (message: string): BatchError => ({
  code: status.INVALID_ARGUMENT,
  type: 'BadRequest',
  fill: (details) => details.text(1, message),
});

export const batchOutcome = (target: BatchTarget, outcome: AppendOutcome): Buffer => {
  if (outcome.is === 'appended') return batchSuccess(target, outcome);
  if (outcome.is === 'deleted') return batchError(target, deletedStream(target.stream));
  return batchError(target, wrongExpectedVersion(outcome.current, target.expected ?? 'any'));
};
