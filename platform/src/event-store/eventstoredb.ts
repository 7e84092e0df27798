import {
  ANY,
  BACKWARDS,
  END,
  type EventStoreDBClient,
  EventStoreDBClient as Client,
  FORWARDS,
  NO_STREAM,
  type ReadStreamOptions,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import { within } from './deadline.ts';
import { fromStored, toStored } from './envelope.ts';
import { StreamGone, WrongExpectedVersion } from './errors.ts';
import { followed } from './followed.ts';
import type { EventStore, Expected } from './port.ts';
import { isMissing, translated } from './translate.ts';

const expectations = { any: ANY, no_stream: NO_STREAM } as const;
const expectedRevision = (expected: Expected) => (typeof expected === 'bigint' ? expected : expectations[expected]);

const pingMs = 2_000;

/** The log over the unmodified client; `url` is an `esdb://` connection string. */
export const openEventStore = ({ url }: { url: string }): EventStore => {
  let client: EventStoreDBClient = Client.connectionString(url);

  /** A failed feature look-up stays in a client for good, so an unknown failure of an append gets a fresh one. */
  const renew = () => {
    const stale = client;
    client = Client.connectionString(url);
    setTimeout(() => void stale.dispose().catch(() => undefined), 60_000).unref();
  };

  const head = async (): Promise<bigint> => {
    const read = async () => {
      for await (const { event } of client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }))
        return event?.position.commit ?? 0n;
      return 0n;
    };
    return within(pingMs, 'reading the end of the log', read()).catch((error: unknown) => {
      throw translated(error);
    });
  };

  return {
    head,
    ping: async () => {
      await head();
    },
    close: () => client.dispose(),
    async append(stream, events, { expected = 'any', timeoutMs = 5_000 } = {}) {
      try {
        const result = await within(
          timeoutMs,
          'appending',
          client.appendToStream(stream, events.map(toStored), { expectedRevision: expectedRevision(expected) }),
        );
        return { revision: result.nextExpectedRevision, position: result.position?.commit ?? 0n };
      } catch (error) {
        const told = translated(error);
        if (!(told instanceof WrongExpectedVersion) && !(told instanceof StreamGone)) renew();
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
        for await (const { event } of client.readStream(stream, options)) if (event) yield fromStored(event);
      } catch (error) {
        if (!isMissing(error)) throw translated(error);
      }
    },
    follow({ after, prefixes, signal }) {
      const fromPosition = after === 'start' ? START : { commit: after, prepare: after };
      const filter = streamNameFilter({ prefixes: [...prefixes] });
      return followed(client.subscribeToAll({ fromPosition, filter }, { highWaterMark: 512 }), signal);
    },
  };
};
