import type { PublishedEvent } from '@popsvc/contracts/events';
import type { JetStreamClient, NatsConnection } from 'nats';
import type { LogEvent } from '../event-store/index.ts';
import { withDeadline } from '../runtime/index.ts';
import { runInSpan, type SpanOptions } from '../telemetry/index.ts';
import {
  createNatsConnection,
  ensureStream,
  type NatsStatus,
  readNatsStatus,
  requestTimeoutMs,
} from './nats-connection.ts';

/** A subject token must not contain dots, spaces or wildcards. */
const toToken = (text: string) => text.replace(/[^\w-]/g, '_');

const root = 'popsvc.events';
const subjectOf = ({ type, metadata }: LogEvent): string => `${root}.${metadata.network ?? 0}.${toToken(type)}`;

/** Number of bytes reserved for the subject and headers of a message. */
const overheadBytes = 1_024;

/** Omits the data if the message would exceed `maxPayload`, the size limit of the server in bytes. */
const encodeEvent = (event: LogEvent, maxPayload: number): Buffer => {
  const { id, type, stream, revision, position, recordedAtMs, data, metadata } = event;
  const published = {
    id,
    type,
    stream,
    revision: Number(revision),
    position: position.toString(),
    recorded_at: new Date(recordedAtMs).toISOString(),
    data,
    metadata,
  } satisfies PublishedEvent;
  const body = Buffer.from(JSON.stringify(published));
  if (body.length + overheadBytes <= maxPayload) return body;
  return Buffer.from(JSON.stringify({ ...published, data: null, data_omitted: true }));
};

export interface EventPublisher {
  /**
   * Resolves when the server has stored all events. After a failure, publish all events again within two minutes: the server then
   * discards those that it has stored.
   */
  publish(events: readonly LogEvent[]): Promise<void>;
  ping(): Promise<void>;
  readStatus(): Promise<NatsStatus>;
  close(): Promise<void>;
}

const maxUnacknowledgedBytes = 8_000_000;

interface ReadyConnection {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
}

const publishEvents = async (
  { connection, jetstream }: ReadyConnection,
  events: readonly LogEvent[],
): Promise<void> => {
  const maxPayload = connection.info?.max_payload ?? 2 ** 20;
  let unacknowledgedBytes = 0;
  let failure: unknown;
  const acks = new Set<Promise<void>>();
  for (const event of events) {
    const body = encodeEvent(event, maxPayload);
    while (unacknowledgedBytes > maxUnacknowledgedBytes && failure === undefined) await Promise.race(acks);
    if (failure !== undefined) break;
    unacknowledgedBytes += body.length;
    const ack = jetstream.publish(subjectOf(event), body, { msgID: event.id, timeout: requestTimeoutMs }).then(
      () => undefined,
      (error: unknown) => void (failure ??= error),
    );
    const settled = ack.finally(() => {
      unacknowledgedBytes -= body.length;
      acks.delete(settled);
    });
    acks.add(settled);
  }
  await Promise.all(acks);
  if (failure !== undefined) throw failure as Error;
};

const publishSpan = (events: number): SpanOptions => ({
  name: 'publish popsvc.events',
  kind: 'producer',
  parent: 'new',
  attributes: {
    'messaging.system': 'nats',
    'messaging.operation.type': 'send',
    'messaging.batch.message_count': events,
  },
});

/** The message id is the event id, so that JetStream recognizes duplicates. */
export const createNatsPublisher = ({ url, name }: { url: string; name: string }): EventPublisher => {
  const connections = createNatsConnection(url, name);
  let ready: ReadyConnection | undefined;
  const prepare = async (): Promise<ReadyConnection> => {
    const connection = await connections.open();
    if (ready?.connection === connection) return ready;
    await ensureStream(connections);
    return (ready = { connection, jetstream: connection.jetstream({ timeout: requestTimeoutMs }) });
  };
  return {
    async publish(events) {
      try {
        await runInSpan(
          () => publishSpan(events.length),
          async () => publishEvents(await prepare(), events),
        );
      } catch (error) {
        // The failure may mean that the stream was deleted. The next call then creates the stream.
        ready = undefined;
        throw error;
      }
    },
    async ping() {
      await withDeadline((await connections.open()).flush(), requestTimeoutMs, 'the ping of NATS');
    },
    readStatus: () => readNatsStatus(connections),
    close: () => connections.close(),
  };
};
