import type { JetStreamClient, NatsConnection } from 'nats';
import type { LogEvent } from '../event-store/index.ts';
import { withDeadline } from '../runtime/index.ts';
import { type SpanOptions, runInSpan } from '../telemetry/index.ts';
import { busFacts, connectionTo, ensureStreams, type NatsStatus } from './nats-connection.ts';
import { encode, subjectOf } from './nats-messages.ts';

/** Publishes events of the log for whoever listens. */
export interface EventPublisher {
  /** In their order; resolves when the server has them all. After a failure some are out: publishing them again is harmless. */
  publish(events: readonly LogEvent[]): Promise<void>;
  /** Throws when it does not answer. */
  ping(): Promise<void>;
  /** How the server stands, for operators; throws when it does not answer. */
  readStatus(): Promise<NatsStatus>;
  close(): Promise<void>;
}

export const answerMs = 5_000;
/** Sent and not yet acknowledged, in bytes. */
const mostUnderWay = 8_000_000;

interface Ready {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
}

const published = async ({ connection, jetstream }: Ready, events: readonly LogEvent[]): Promise<void> => {
  const maxPayload = connection.info?.max_payload ?? 2 ** 20;
  let underWay = 0;
  let failure: unknown;
  const acks = new Set<Promise<void>>();
  for (const event of events) {
    const body = encode(event, maxPayload);
    while (underWay > mostUnderWay && failure === undefined) await Promise.race(acks);
    if (failure !== undefined) break;
    underWay += body.length;
    const ack = jetstream.publish(subjectOf(event), body, { msgID: event.id, timeout: answerMs }).then(
      () => undefined,
      (error: unknown) => void (failure ??= error),
    );
    const settled = ack.finally(() => {
      underWay -= body.length;
      acks.delete(settled);
    });
    acks.add(settled);
  }
  await Promise.all(acks);
  if (failure !== undefined) throw failure as Error;
};

const publishing = (events: number): SpanOptions => ({
  name: 'publish popsvc.events',
  kind: 'producer',
  parent: 'new',
  attributes: {
    'messaging.system': 'nats',
    'messaging.operation.type': 'send',
    'messaging.batch.message_count': events,
  },
});

/** Over JetStream, which keeps what it publishes once: the id of the event is the id of the message. */
export const createNatsPublisher = ({ url, name }: { url: string; name: string }): EventPublisher => {
  const link = connectionTo(url, name);
  let ready: Ready | undefined;
  const prepared = async (): Promise<Ready> => {
    const connection = await link.open();
    if (ready?.connection === connection) return ready;
    await ensureStreams(await connection.jetstreamManager({ checkAPI: false, timeout: answerMs }));
    return (ready = { connection, jetstream: connection.jetstream({ timeout: answerMs }) });
  };
  return {
    async publish(events) {
      try {
        await runInSpan(
          () => publishing(events.length),
          async () => published(await prepared(), events),
        );
      } catch (error) {
        // The streams may be gone: looked at again before the next event.
        ready = undefined;
        throw error;
      }
    },
    async ping() {
      await withDeadline((await link.open()).flush(), answerMs, 'the ping of NATS');
    },
    readStatus: () => busFacts(link, answerMs),
    close: () => link.close(),
  };
};
