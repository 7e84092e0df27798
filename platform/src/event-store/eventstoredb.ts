import {
  ANY,
  BACKWARDS,
  END,
  EventStoreDBClient as Client,
  FORWARDS,
  NO_STREAM,
  type AllStreamResolvedEvent,
  type ReadAllOptions,
  jsonEvent,
  type ReadStreamOptions,
  START,
} from '@eventstore/db-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from '../runtime/index.ts';
import { type Log, type SpanOptions, runInSpan, iterateInSpan } from '../telemetry/index.ts';
import { repairAppendStreams } from './append-streams.ts';
import { formatConnectionString, parseConnectionString } from './connection-string.ts';
import { EventStoreUnavailable, isAppendTimeout, isStreamMissing, toEventStoreError } from './errors.ts';
import { toEventData, toLogEvent } from './event-encoding.ts';
import type { EventStoreMetrics } from './metrics.ts';
import type { AppendResult, EventStore, ExpectedRevision, NewEvent, StoreRight } from './port.ts';
import { decodeBase64Natively } from './protobuf-base64.ts';
import { readSubscription, type SubscriptionSource } from './subscriptions.ts';

const storeSpan = (operation: string, stream?: string): SpanOptions => ({
  name: `eventstoredb ${operation}`,
  kind: 'client',
  attributes: {
    'db.system.name': 'eventstoredb',
    'db.operation.name': operation,
    ...(stream !== undefined && { 'db.collection.name': stream }),
  },
});

/** Subscriptions have no span, because most last as long as the process. */
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

const readTimeoutMs = 2_000;
const maxAppendWaitMs = 5_000;
/** How long and how often to search a stream for an append that timed out. At most `newerEvents` events may follow the append. */
const appendSearch = { forMs: 2_000, everyMs: 100, newerEvents: 500 };
/** Without a limit, closing could wait forever for abandoned reads. */
const closeTimeoutMs = 1_000;
const disposeDelayMs = 60_000;

/** The store always refuses this revision. If the login lacks the right to append, the error says so. */
const rightsProbe = { stream: 'probe-rights', expectedRevision: 1_000_000_000_000n };

export interface EventStoreOptions {
  readonly url: string;
  readonly log?: Log;
  readonly metrics?: EventStoreMetrics;
}

export const openEventStore = ({ url, log, metrics }: EventStoreOptions): EventStore => {
  decodeBase64Natively();
  repairAppendStreams();
  const connectionString = formatConnectionString(parseConnectionString(url));
  let client = Client.connectionString(connectionString);

  /** If a client fails to discover the features of the server, it caches the failure, and all its later appends fail. */
  const replaceClient = () => {
    const stale = client;
    client = Client.connectionString(connectionString);
    setTimeout(() => void stale.dispose().catch(() => undefined), disposeDelayMs).unref();
  };

  /** For each read that is not cancelled, the server would keep a page of the log in memory, and the client could not be closed. */
  const readEvents = async (options: ReadAllOptions, what: string, signal?: AbortSignal) => {
    const reading = client.readAll(options);
    const cancel = () => void reading.cancel().catch(() => undefined);
    signal?.addEventListener('abort', cancel);
    const read = async () => {
      const found: NonNullable<AllStreamResolvedEvent['event']>[] = [];
      for await (const { event } of reading) if (event) found.push(event);
      return found;
    };
    try {
      return await withDeadline(read(), readTimeoutMs, what);
    } finally {
      signal?.removeEventListener('abort', cancel);
      cancel();
    }
  };
  const readFirst = async (options: Pick<ReadAllOptions, 'direction' | 'fromPosition'>) => {
    try {
      const [found] = await readEvents({ ...options, maxCount: 1 }, 'reading one event of the log');
      return found && toLogEvent(found);
    } catch (error) {
      throw toEventStoreError(error);
    }
  };
  const readOldest = () => readFirst({ direction: FORWARDS, fromPosition: START });
  const readNewest = () => readFirst({ direction: BACKWARDS, fromPosition: END });
  const readHeadPosition = async (): Promise<bigint> => (await readNewest())?.position ?? 0n;

  const subscriptionSource: SubscriptionSource = {
    open: (after, filter) => {
      const fromPosition = after === 'start' ? START : { commit: after, prepare: after };
      return client.subscribeToAll({ fromPosition, filter }, { highWaterMark: 512 });
    },
    async readFrom(position, max, signal) {
      const fromPosition = position === 'start' ? START : { commit: position, prepare: position };
      const found = await readEvents({ direction: FORWARDS, fromPosition, maxCount: max }, 'searching the log', signal);
      return found.map(({ streamId, position: { commit } }) => ({ stream: streamId, position: commit }));
    },
    onSlowReader(after) {
      metrics?.resubscribed();
      log?.info({ after: String(after) }, 'event store ended a subscription with a slow reader; subscribing again');
    },
  };

  const findStored = async (stream: string, events: readonly NewEvent[]): Promise<AppendResult | undefined> => {
    const [first, last] = [events[0]?.id, events.at(-1)?.id];
    let end: AppendResult | undefined;
    const maxCount = events.length + appendSearch.newerEvents;
    const reading = client.readStream(stream, { direction: BACKWARDS, fromRevision: END, maxCount });
    // The store writes an append whole or not at all, so its last and its first event prove that it was stored.
    for await (const { event } of reading) {
      if (event?.id === last) end = { revision: event!.revision, position: event!.position?.commit ?? 0n };
      if (end && event?.id === first) return end;
    }
    return undefined;
  };

  const waitUntilStored = async (
    stream: string,
    events: readonly NewEvent[],
    untilMs: number,
  ): Promise<AppendResult | undefined> => {
    for (;;) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return undefined;
      const stored = await withDeadline(findStored(stream, events), leftMs, 'searching an append').catch(
        () => undefined,
      );
      if (stored) return stored;
      await sleep(appendSearch.everyMs);
    }
  };

  const isDenied = (error: unknown): boolean => {
    const converted = toEventStoreError(error);
    return converted instanceof EventStoreUnavailable && converted.reason === 'access-denied';
  };

  const canReadAll = async (): Promise<boolean> => {
    try {
      await readNewest();
      return true;
    } catch (error) {
      if (isDenied(error)) return false;
      throw error;
    }
  };

  /** Returns true also after a failure other than a denial, such as a full disk, which does not show that the right is missing. */
  const canAppend = async (): Promise<boolean> => {
    const { stream, expectedRevision } = rightsProbe;
    const appending = client.appendToStream(stream, jsonEvent({ type: 'RightsProbed', data: {} }), {
      expectedRevision,
    });
    return withDeadline(appending, readTimeoutMs, 'probing the right to append').then(
      () => true,
      (error: unknown) => !isDenied(error),
    );
  };

  return tracedStore({
    readHeadPosition,
    async findMissingRights() {
      const [reads, appends] = await Promise.all([canReadAll(), canAppend()]);
      const rights: readonly (readonly [StoreRight, boolean])[] = [
        ['read-all', reads],
        ['append', appends],
      ];
      return rights.flatMap(([right, isGranted]) => (isGranted ? [] : [right]));
    },
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
      const untilMs = performance.now() + timeoutMs;
      try {
        const result = await withDeadline(
          client.appendToStream(stream, events.map(toEventData), { expectedRevision: expectedRevision(expected) }),
          timeoutMs,
          'the append',
        );
        return { revision: result.nextExpectedRevision, position: result.position?.commit ?? 0n };
      } catch (error) {
        if (isAppendTimeout(error)) {
          const searchUntilMs = Math.min(untilMs, performance.now() + appendSearch.forMs);
          const stored = await waitUntilStored(stream, events, searchUntilMs);
          if (stored) metrics?.appendFound();
          if (stored) return stored;
        }
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
    subscribe: (options) => readSubscription(subscriptionSource, options),
  });
};
