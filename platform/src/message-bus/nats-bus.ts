import { AckPolicy, createInbox, DeliverPolicy, type Msg, nanos, type NatsConnection } from 'nats';
import type { EventStore } from '../event-store/index.ts';
import { withDeadline } from '../runtime/index.ts';
import type { Log } from '../telemetry/index.ts';
import { createPermitPool, createRunningConsumers, type PermitPool, retryUntilAborted } from './consumer-loop.ts';
import { type BusMetrics, deliver, type DeliveryContext, recordDeadLetter } from './delivery.ts';
import { createNatsConnection, ensureStreams, eventsStream, requestTimeoutMs } from './nats-connection.ts';
import { decodeEvent, subjectFilterOf } from './nats-messages.ts';
import type { Consumer, Delivery, MessageBus } from './port.ts';

/** Status codes of JetStream in place of a message: the pull expired; no messages; heartbeat. */
const pullStatus = { expired: 408, noMessages: 404, heartbeat: 100 } as const;
/** The client ends a pull this much later than the server, so that the server's status arrives first. */
const graceMs = 3_000;

interface Pull {
  readonly connection: NatsConnection;
  readonly stream: string;
  readonly durable: string;
  readonly maxMessages: number;
  /** How long the server waits for messages. */
  readonly expiresMs: number;
}

/** Requests messages once and yields them as they arrive. Throws if the consumer does not exist or the server does not answer. */
async function* pull(
  { connection, stream, durable, maxMessages, expiresMs }: Pull,
  signal: AbortSignal,
): AsyncGenerator<Msg> {
  const reply = createInbox();
  const messages = connection.subscribe(reply);
  const stop = () => messages.unsubscribe();
  const timer = setTimeout(stop, expiresMs + graceMs);
  signal.addEventListener('abort', stop);
  try {
    const request = JSON.stringify({ batch: maxMessages, expires: nanos(expiresMs) });
    connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, request, { reply });
    let received = 0;
    for await (const message of messages) {
      const { code = 0, description = '' } = message.headers ?? {};
      if (code === pullStatus.expired || code === pullStatus.noMessages) return;
      if (code === pullStatus.heartbeat) continue;
      if (code !== 0) throw new Error(`NATS rejected a pull: ${code} ${description}`);
      yield message;
      received += 1;
      if (received === maxMessages) return;
    }
    if (!signal.aborted) throw new Error('the connection to NATS was lost, or NATS did not answer a pull');
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    if (!messages.isClosed()) stop();
  }
}

interface Receiver {
  readonly connection: NatsConnection;
  readonly store: Pick<EventStore, 'readEventAt'>;
  readonly consumer: Consumer;
  readonly context: DeliveryContext;
}

/** Replies of JetStream's acknowledgement protocol. */
const replies = { ack: '+ACK', inProgress: '+WPI', nak: '-NAK' } as const;

/** Reads the number of deliveries from the reply subject, `$JS.ACK.[domain.account.]stream.consumer.deliveries.…`. */
const deliveriesOf = ({ reply = '' }: Msg): number => {
  const tokens = reply.split('.');
  return Number(tokens[tokens.length > 9 ? 6 : 4]);
};

/**
 * Acknowledgements use the connection that delivered the message: after the server lost its data, the same reply subject may belong
 * to another message.
 */
const toDelivery = async ({ connection, store }: Receiver, message: Msg): Promise<Delivery> => {
  const respond = async (payload: string) => {
    await connection.request(message.reply ?? '', payload, { timeout: requestTimeoutMs });
  };
  const { id, type, stream, data, metadata } = await decodeEvent(message.string(), store);
  return {
    ...{ id, type, stream, data, metadata },
    deliveries: deliveriesOf(message),
    acknowledge: () => respond(replies.ack),
    extendAckTimeout: () => respond(replies.inProgress),
    redeliverAfter: (afterMs) =>
      respond(afterMs > 0 ? `${replies.nak} ${JSON.stringify({ delay: nanos(afterMs) })}` : replies.nak),
  };
};

/** Delivers a message, or publishes it as a dead letter after too many deliveries. Never throws. */
const receive = async (receiver: Receiver, message: Msg): Promise<void> => {
  const { connection, consumer, context } = receiver;
  try {
    const delivery = await toDelivery(receiver, message);
    if (delivery.deliveries <= consumer.maxDeliveries) {
      await deliver(context, delivery);
      return;
    }
    const jetstream = connection.jetstream({ timeout: requestTimeoutMs });
    await jetstream.publish(`popsvc.dead.${consumer.name}`, message.data, {
      msgID: `${consumer.name}:${delivery.id}`,
    });
    await delivery.acknowledge();
    recordDeadLetter(context, delivery);
  } catch (err) {
    context.log.warn(
      { err, consumer: consumer.name, subject: message.subject },
      'failed to receive a message; it will be redelivered',
    );
  }
};

export interface NatsBusDependencies {
  readonly url: string;
  /** The name of the connection in NATS. */
  readonly name: string;
  /** Provides the data of events that are too large for a message. */
  readonly store: Pick<EventStore, 'readEventAt'>;
  readonly log: Log;
  readonly metrics?: BusMetrics;
}

/** Creates the JetStream consumer of one event type. Before NATS 2.10 a consumer has only one filter subject. */
const ensureConsumer = async (connection: NatsConnection, { name, ackTimeoutMs }: Consumer, type: string) => {
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: requestTimeoutMs });
  await ensureStreams(manager);
  const durable = `${name}_${type}`;
  await manager.consumers.add(eventsStream.name, {
    durable_name: durable,
    filter_subject: subjectFilterOf(type),
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackTimeoutMs),
    // The bus counts deliveries itself: beyond max_deliver, JetStream would keep a message without delivering or reporting it.
    max_deliver: -1,
    max_ack_pending: -1,
  });
  return durable;
};

const longPullMs = 10_000;
const shortPullMs = 1_000;

interface TypeReceiver extends Receiver {
  readonly permits: PermitPool;
  readonly type: string;
}

/** Receives messages of one event type as permits become free, until the signal aborts. */
const receiveMessages = async ({ permits, type, ...receiver }: TypeReceiver, signal: AbortSignal): Promise<void> => {
  const { connection, consumer } = receiver;
  const durable = await ensureConsumer(connection, consumer, type);
  const share = Math.max(1, Math.floor(consumer.maxInFlight / consumer.types.length));
  // With fewer permits than types, a long pull of one type would delay the others.
  const expiresMs = consumer.types.length > consumer.maxInFlight ? shortPullMs : longPullMs;
  for (;;) {
    const maxMessages = await permits.acquire(share);
    if (maxMessages === 0) return;
    let used = 0;
    try {
      const request = { connection, stream: eventsStream.name, durable, maxMessages, expiresMs };
      for await (const message of pull(request, signal)) {
        used += 1;
        void receive(receiver, message).finally(() => permits.release(1));
      }
    } finally {
      permits.release(maxMessages - used);
    }
  }
};

/** Creates a bus on NATS JetStream. The relay publishes the events of the log there. */
export const createNatsBus = ({ url, name, store, log, metrics }: NatsBusDependencies): MessageBus => {
  const connections = createNatsConnection(url, name);
  const consumers = createRunningConsumers();
  return {
    consume: (consumer, handle, consumerSignal) =>
      consumers.run(consumerSignal, async (signal) => {
        const permits = createPermitPool(consumer.maxInFlight, signal);
        const context = { log, metrics, consumer: consumer.name, handle };
        await Promise.all(
          consumer.types.map((type) =>
            retryUntilAborted({ task: `deliver ${type} to ${consumer.name}`, log, signal }, async () =>
              receiveMessages(
                { connection: await connections.open(), store, consumer, context, permits, type },
                signal,
              ),
            ),
          ),
        );
        await permits.whenIdle();
      }),
    async ping() {
      await withDeadline((await connections.open()).flush(), requestTimeoutMs, 'the ping of NATS');
    },
    async close() {
      await consumers.stop();
      await connections.close();
    },
  };
};
