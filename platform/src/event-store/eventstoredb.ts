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
import { EventStoreUnavailable, isMissing, translated } from './errors.ts';
import { decodeBase64Natively, fromStored, toStored } from './event-encoding.ts';
import type { EventStore, ExpectedRevision, LogEvent } from './port.ts';
import { checkpointed, followed } from './subscriptions.ts';

const asked = (operation: string, stream?: string): SpanOptions => ({
  name: `eventstoredb ${operation}`,
  kind: 'client',
  attributes: {
    'db.system.name': 'eventstoredb',
    'db.operation.name': operation,
    ...(stream !== undefined && { 'db.collection.name': stream }),
  },
});

/** A log whose calls are seen in traces; what follows it for as long as a process lives is not. */
const tracedStore = (store: EventStore): EventStore => ({
  ...store,
  append: (stream, events, options) =>
    runInSpan(
      () => {
        const { attributes, ...span } = asked('append', stream);
        return { ...span, attributes: { ...attributes, 'db.operation.batch.size': events.length } };
      },
      () => store.append(stream, events, options),
    ),
  readStream: (stream, options) =>
    iterateInSpan(
      () => asked('read', stream),
      () => store.readStream(stream, options),
    ),
  readEventAt: (position) =>
    runInSpan(
      () => asked('at'),
      () => store.readEventAt(position),
    ),
  readHeadPosition: () =>
    runInSpan(
      () => asked('head'),
      () => store.readHeadPosition(),
    ),
});

const expectations = { any: ANY, no_stream: NO_STREAM } as const;
const expectedRevision = (expected: ExpectedRevision) =>
  typeof expected === 'bigint' ? expected : expectations[expected];

const pingMs = 2_000;
/** Events that the server looks at between two words on how far it has come. */
const lookedAt = 1_000;
/** The client waits for streams that may never end when their reader left. */
const closeMs = 1_000;

/** The log over the unmodified client; `url` is an `esdb://` connection string. */
export const openEventStore = ({ url }: { url: string }): EventStore => {
  decodeBase64Natively();
  let client = Client.connectionString(url);

  /** A failed feature look-up stays in a client for good, so an unknown failure of an append gets a fresh one. */
  const renew = () => {
    const stale = client;
    client = Client.connectionString(url);
    setTimeout(() => void stale.dispose().catch(() => undefined), 60_000).unref();
  };

  /** The first event met from somewhere in the log. Read to its end: a read that is left midway keeps the client from closing. */
  const first = async (options: Pick<ReadAllOptions, 'direction' | 'fromPosition'>) => {
    const read = async () => {
      let met: LogEvent | undefined;
      for await (const { event } of client.readAll({ ...options, maxCount: 1 })) if (event) met = fromStored(event);
      return met;
    };
    return withDeadline(read(), pingMs, 'reading one event of the log').catch((error: unknown) => {
      throw translated(error);
    });
  };
  const outermost = (direction: typeof FORWARDS | typeof BACKWARDS) =>
    first({ direction, fromPosition: direction === FORWARDS ? START : END });
  const head = async (): Promise<bigint> => (await outermost(BACKWARDS))?.position ?? 0n;

  return tracedStore({
    readHeadPosition: head,
    async readEventAt(position) {
      const met = await first({ direction: FORWARDS, fromPosition: { commit: position, prepare: position } });
      return met?.position === position ? met : undefined;
    },
    // A log restored from elsewhere, or another one, begins with another id.
    readLogId: async () => (await outermost(FORWARDS))?.id ?? '',
    ping: async () => {
      await head();
    },
    close: () => withDeadline(client.dispose(), closeMs, 'closing the client').catch(() => undefined),
    async append(stream, events, { expected = 'any', timeoutMs = 5_000 } = {}) {
      try {
        const result = await withDeadline(
          client.appendToStream(stream, events.map(toStored), { expectedRevision: expectedRevision(expected) }),
          timeoutMs,
          'the append',
        );
        return { revision: result.nextExpectedRevision, position: result.position?.commit ?? 0n };
      } catch (error) {
        const told = translated(error);
        if (told instanceof EventStoreUnavailable) renew();
        throw told;
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
          for await (const { event } of reading) if (event) yield fromStored(event);
        } finally {
          await reading.cancel();
        }
      } catch (error) {
        if (!isMissing(error)) throw translated(error);
      }
    },
    subscribe({ after, prefixes, signal, upTo }) {
      const fromPosition = after === 'start' ? START : { commit: after, prepare: after };
      const options = { highWaterMark: 512 };
      if (upTo === undefined) {
        const filter = streamNameFilter({ prefixes: [...prefixes] });
        return followed(client.subscribeToAll({ fromPosition, filter }, options), signal);
      }
      const { filter, reached } = checkpointed(prefixes, lookedAt);
      return followed(client.subscribeToAll({ fromPosition, filter }, options), signal, { upTo, reached });
    },
  });
};
