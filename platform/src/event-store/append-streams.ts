import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';

type AppendStream = ReturnType<StreamsClient['batchAppend']>;
type Listener = (value: unknown) => void;

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
 * Prevents two errors of @eventstore/db-client 6.2.1 that end the process when a connection to the event store breaks.
 *
 * All clients of a process share one map of waiting appends. After the stream of one client has failed, a response to another
 * client throws a TypeError (fixed in github.com/kurrent-io/KurrentDB-Client-NodeJS/pull/523).
 *
 * An append that waits until the stream accepts more data is rejected outside of every promise that a caller can handle.
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
