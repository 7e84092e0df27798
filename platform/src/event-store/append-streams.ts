import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';

type AppendStream = ReturnType<StreamsClient['batchAppend']>;
type Listener = (value: unknown) => void;

/** Wraps a listener of the client so that it ignores a response for which no append waits. */
const ignoreUnknownAppends =
  (listener: Listener): Listener =>
  (response) => {
    try {
      listener(response);
    } catch (error) {
      // The listener found undefined instead of the pair of functions that settle the append.
      if (!(error instanceof TypeError && error.message.includes('not iterable'))) throw error;
    }
  };

const keepProcessAlive = (stream: AppendStream): AppendStream => {
  const on = stream.on.bind(stream) as (event: string, listener: Listener) => AppendStream;
  const write = stream.write.bind(stream);
  return Object.assign(stream, {
    on: (event: string, listener: Listener) => on(event, event === 'data' ? ignoreUnknownAppends(listener) : listener),
    write(request: Parameters<typeof write>[0]) {
      write(request);
      return true;
    },
  });
};

let isRepaired = false;

/**
 * Prevents two errors of @eventstore/db-client 6.2.1 (`batchAppend.js`, `backpressuredWrite.js`) that end the process when a connection
 * to the event store breaks:
 *
 * - All clients of a process share one map of the appends that wait for a response. If the stream of one client fails, the map is
 *   cleared. The next response to an append of another client then throws a TypeError in an event listener. Such a response is ignored:
 *   its append was already rejected as UNAVAILABLE, and repeating it with the same event ids stores it once.
 * - An append that waits until the stream accepts more data is rejected outside of every promise that a caller can handle. The stream
 *   therefore always accepts data. While a connection is stuck, the data of the waiting appends is in memory twice, as events and
 *   serialized.
 *
 * The first error is fixed in @kurrent/kurrentdb-client (github.com/kurrent-io/KurrentDB-Client-NodeJS/pull/523).
 * test/src/event-store/append-streams.spec.ts fails without this function. Remove it when the service moves to that client.
 */
export const repairAppendStreams = (): void => {
  if (isRepaired) return;
  isRepaired = true;
  const open = Reflect.get<StreamsClient, 'batchAppend'>(StreamsClient.prototype, 'batchAppend');
  Object.assign(StreamsClient.prototype, {
    batchAppend(this: StreamsClient, ...given: Parameters<StreamsClient['batchAppend']>) {
      return keepProcessAlive(open.apply(this, given));
    },
  });
};
