import { type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { type AppendOutcome, type StreamStore } from '../streams/index.ts';
import { deleteAnswer } from './append-answer.ts';
import { type WriteTarget, readDeleteRequest } from './append-request.ts';
import { failureOf, streamDeleted, wrongVersion } from './failure.ts';
import { within } from './within.ts';
import { type WriteLimits } from './write-limits.ts';

type End = (store: StreamStore, target: WriteTarget) => Promise<AppendOutcome>;

export const softDelete: End = (store, { stream, expected }) => store.appender.deleteStream(stream, expected);
export const tombstoneStream: End = (store, { stream, expected }) => store.appender.tombstone(stream, expected);

const end = async (store: StreamStore, limits: WriteLimits, request: Buffer, how: End): Promise<Buffer> => {
  const target = readDeleteRequest(request);
  const outcome = await within(limits.timeoutMs, how(store, target));
  if (outcome.is === 'deleted') throw streamDeleted(target.stream);
  if (outcome.is === 'wrong-version') throw wrongVersion(target.stream, target.expected, outcome.current);
  return deleteAnswer(outcome.position ?? 0);
};

/** Streams/Delete and Streams/Tombstone. */
export const deleteCall =
  (store: StreamStore, limits: WriteLimits, how: End) =>
  (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>): void => {
    end(store, limits, call.request, how).then(
      (answer) => callback(null, answer),
      (error: unknown) => callback(failureOf(error)),
    );
  };
