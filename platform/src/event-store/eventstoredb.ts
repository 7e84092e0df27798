import {
  ANY,
  BACKWARDS,
  END,
  EventStoreDBClient as Client,
  FORWARDS,
  NO_STREAM,
  type ReadAllOptions,
  type ReadStreamOptions,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import { withDeadline } from '../runtime/index.ts';
import { type SpanOptions, runInSpan, iterateInSpan } from '../telemetry/index.ts';
import { EventStoreUnavailable, isStreamMissing, toEventStoreError } from './errors.ts';
import { toEventData, toLogEvent } from './event-encoding.ts';
import type { EventStore, ExpectedRevision, LogEvent } from './port.ts';
import { decodeBase64Natively } from './protobuf-base64.ts';
import { filterWithCheckpoints, readSubscription } from './subscriptions.ts';

const storeSpan = (operation: string, stream?: string): SpanOptions => ({
  name: `eventstoredb ${operation}`,
  kind: 'client',
  attributes: {
    'db.system.name': 'eventstoredb',
    'db.operation.name': operation,
    ...(stream !== undefined && { 'db.collection.name': stream }),
  },
});

/** Wraps a store to create a span for every append and read. Subscriptions have no spans: they last as long as the process. */
const tracedStore = (store: EventStore): EventStore => ({
  ...store,
  append: (stream, events, options) =>
    runInSpan(
      () => {
        const { attributes, ...span } = storeSpan('append', stream);
        return { ...span, attributes: { ...attributes, 'db.operation.batch.size': events.length } };
      },
      () => store.append(stream, events, options),
    ),
  readStream: (stream, options) =>
    iterateInSpan(
      () => storeSpan('read', stream),
      () => store.readStream(stream, options),
    ),
  readEventAt: (position) =>
    runInSpan(
      () => storeSpan('read event'),
      () => store.readEventAt(position),
    ),
  readHeadPosition: () =>
    runInSpan(
      () => storeSpan('read head'),
      () => store.readHeadPosition(),
    ),
});

const expectations = { any: ANY, no_stream: NO_STREAM } as const;
const expectedRevision = (expected: ExpectedRevision) =>
  typeof expected === 'bigint' ? expected : expectations[expected];

/** Timeout in ms for reading one event from the log. */
const readTimeoutMs = 2_000;
const maxAppendWaitMs = 5_000;
/** The server reports its progress each time it has searched this many events, even if none of them matches the filter. */
const checkpointInterval = 1_000;
/** Maximum time in ms to close the client. Without a limit, closing would wait forever for abandoned reads. */
const closeTimeoutMs = 1_000;
/** A replaced client stays open for this many ms so that its running calls can finish. */
const disposeDelayMs = 60_000;

/** Opens the event store; `url` is an `esdb://` connection string. */
export const openEventStore = ({ url }: { url: string }): EventStore => {
  decodeBase64Natively();
  let client = Client.connectionString(url);

  /**
   * Replaces the client. This is necessary because a client that fails to discover the server's features caches the failure, and
   * all its later appends fail.
   */
  const replaceClient = () => {
    const stale = client;
    client = Client.connectionString(url);
    setTimeout(() => void stale.dispose().catch(() => undefined), disposeDelayMs).unref();
  };

  /**
   * Reads the first event at or after a position. Reads the response to its end, because a client with an abandoned read cannot
   * be closed.
   */
  const readFirst = async (options: Pick<ReadAllOptions, 'direction' | 'fromPosition'>) => {
    const read = async () => {
      let found: LogEvent | undefined;
      for await (const { event } of client.readAll({ ...options, maxCount: 1 })) if (event) found = toLogEvent(event);
      return found;
    };
    return withDeadline(read(), readTimeoutMs, 'reading one event of the log').catch((error: unknown) => {
      throw toEventStoreError(error);
    });
  };
  const readOldest = () => readFirst({ direction: FORWARDS, fromPosition: START });
  const readNewest = () => readFirst({ direction: BACKWARDS, fromPosition: END });
  const readHeadPosition = async (): Promise<bigint> => (await readNewest())?.position ?? 0n;

  return tracedStore({
    readHeadPosition,
    async readEventAt(position) {
      const found = await readFirst({ direction: FORWARDS, fromPosition: { commit: position, prepare: position } });
      return found?.position === position ? found : undefined;
    },
    readLogId: async () => (await readOldest())?.id ?? '',
    ping: async () => {
      await readHeadPosition();
    },
    close: () => withDeadline(client.dispose(), closeTimeoutMs, 'closing the client').catch(() => undefined),
    async append(stream, events, { expected = 'any', timeoutMs = maxAppendWaitMs } = {}) {
      try {
        const result = await withDeadline(
          client.appendToStream(stream, events.map(toEventData), { expectedRevision: expectedRevision(expected) }),
          timeoutMs,
          'the append',
        );
        return { revision: result.nextExpectedRevision, position: result.position?.commit ?? 0n };
      } catch (error) {
        const converted = toEventStoreError(error);
        if (converted instanceof EventStoreUnavailable) replaceClient();
        throw converted;
      }
    },
    async *readStream(stream, { direction = 'forwards', from, max } = {}) {
      try {
        const options: ReadStreamOptions = {
          direction: direction === 'forwards' ? FORWARDS : BACKWARDS,
          fromRevision: from ?? (direction === 'forwards' ? START : END),
          ...(max !== undefined && { maxCount: max }),
        };
        const reading = client.readStream(stream, options);
        try {
          for await (const { event } of reading) if (event) yield toLogEvent(event);
        } finally {
          await reading.cancel();
        }
      } catch (error) {
        if (!isStreamMissing(error)) throw toEventStoreError(error);
      }
    },
    subscribe({ after, prefixes, signal, upTo }) {
      const fromPosition = after === 'start' ? START : { commit: after, prepare: after };
      const options = { highWaterMark: 512 };
      if (upTo === undefined) {
        const filter = streamNameFilter({ prefixes: [...prefixes] });
        return readSubscription(client.subscribeToAll({ fromPosition, filter }, options), signal);
      }
      const { filter, progress } = filterWithCheckpoints(prefixes, checkpointInterval);
      return readSubscription(client.subscribeToAll({ fromPosition, filter }, options), signal, { upTo, progress });
    },
  });
};
