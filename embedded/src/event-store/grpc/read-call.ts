import { type StreamStore } from '../streams/index.ts';
import { failureOf, invalid, stopping } from './failure.ts';
import { readAll } from './read-all.ts';
import { readStream } from './read-stream.ts';
import { type ReadRequest } from './read-request.ts';
import { type ReadCall, Reply } from './reply.ts';
import { type OpenCalls } from './open-calls.ts';
import { subscribeToAll } from './subscribe-to-all.ts';
import { subscribeToStream } from './subscribe-to-stream.ts';

const answer = (store: StreamStore, request: ReadRequest, reply: Reply): Promise<void> => {
  if (request.ids === undefined) throw invalid('The UUID option is missing');
  if (request.count === undefined) throw invalid('The read has neither a count nor is it a subscription');
  if (request.count === 'subscription') {
    if (request.backward) throw invalid('A subscription cannot go backwards');
    return request.stream ? subscribeToStream(store, request, reply) : subscribeToAll(store, request, reply);
  }
  return request.stream ? readStream(store, request, reply) : readAll(store, request, reply);
};

/** Streams/Read: reads and subscriptions, of one stream and of $all. */
export const readCall =
  (store: StreamStore, calls: OpenCalls, coalesces: boolean) =>
  (call: ReadCall): void => {
    const reply = new Reply(call, coalesces);
    const leave = calls.enter(() => reply.fail(stopping()));
    Promise.resolve()
      .then(() => answer(store, call.request, reply))
      .then(() => reply.flush())
      .then(
        () => reply.end(),
        (error: unknown) => reply.fail(failureOf(error)),
      )
      .finally(leave);
  };
