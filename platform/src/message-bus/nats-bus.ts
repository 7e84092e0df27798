import { AckPolicy, createInbox, DeliverPolicy, type Msg, nanos, type NatsConnection } from 'nats';
import type { EventStore } from '../event-store/index.ts';
import { withDeadline } from '../runtime/index.ts';
import type { Log } from '../telemetry/index.ts';
import { createPermitPool, createRunningConsumers, type PermitPool, retryUntilAborted } from './consumer-loop.ts';
import { type BusMetrics, deliver, type DeliveryContext, recordDeadLetter } from './delivery.ts';
import { createNatsConnection, ensureStreams, eventsStream, requestTimeoutMs } from './nats-connection.ts';
import { decodeEvent, subjectFilterOf } from './nats-messages.ts';
import type { Consumer, Delivery, MessageBus } from './port.ts';

/** Status codes that JetStream sends in place of a message. */
const pullStatus = { expired: 408, noMessages: 404, heartbeat: 100 } as const;
/** The client ends a pull this many ms later than the server does. The server's status therefore arrives first. */
const graceMs = 3_000;

interface Pull {
  readonly connection: NatsConnection;
  readonly stream: string;
  readonly durable: string;
  readonly maxMessages: number;
  /** Maximum time in ms that the server waits for messages. */
  readonly expiresMs: number;
}

/**
 * Sends one pull request to the server and yields the messages as they arrive. Throws if the consumer does not exist or the
 * server does not answer.
 */
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
      if (code !== 0) throw new Error(`NATS rejected a pull of consumer ${durable}: ${code} ${description}`);
      yield message;
      received += 1;
      if (received === maxMessages) return;
    }
    if (!signal.aborted)
      throw new Error(`the connection to NATS was lost, or NATS did not answer a pull of consumer ${durable}`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    if (!messages.isClosed()) stop();
  }
}

interface MessageContext {
  readonly connection: NatsConnection;
  readonly store: Pick<EventStore, 'readEventAt'>;
  readonly consumer: Consumer;
  readonly deliveryContext: DeliveryContext;
}

/** Payloads of JetStream's acknowledgement protocol. */
const acknowledgements = { ack: '+ACK', inProgress: '+WPI', nak: '-NAK' } as const;

/** Number of tokens in a reply subject without a JetStream domain: `$JS.ACK.stream.consumer.deliveries.…`. */
const shortReplyTokens = 9;
/**
 * Index of the token with the delivery count. A subject with a domain is `$JS.ACK.domain.account.stream.consumer.deliveries.…`.
 */
const deliveriesIndex = { short: 4, withDomain: 6 };

/** Reads a message's delivery count from its reply subject. */
const deliveriesOf = ({ reply = '' }: Msg): number => {
  const tokens = reply.split('.');
  const { short, withDomain } = deliveriesIndex;
  return Number(tokens[tokens.length > shortReplyTokens ? withDomain : short]);
};

/**
 * Converts a NATS message to a delivery. Acknowledgements are sent on the connection that delivered the message, never on a later
 * connection: if the server has lost its data in the meantime, the same reply subject may belong to another message.
 */
const toDelivery = async ({ connection, store }: MessageContext, message: Msg): Promise<Delivery> => {
  const respond = async (payload: string) => {
    await connection.request(message.reply ?? '', payload, { timeout: requestTimeoutMs });
  };
  const { id, type, stream, data, metadata } = await decodeEvent(message.string(), store);
  return {
    ...{ id, type, stream, data, metadata },
    deliveries: deliveriesOf(message),
    acknowledge: () => respond(acknowledgements.ack),
    extendAckTimeout: () => respond(acknowledgements.inProgress),
    redeliverAfter: (afterMs) =>
      respond(
        afterMs > 0 ? `${acknowledgements.nak} ${JSON.stringify({ delay: nanos(afterMs) })}` : acknowledgements.nak,
      ),
  };
};

/** Delivers a message. After too many deliveries, publishes it as a dead letter instead. Never throws. */
const handleMessage = async (messageContext: MessageContext, message: Msg): Promise<void> => {
  const { connection, consumer, deliveryContext } = messageContext;
  try {
    const delivery = await toDelivery(messageContext, message);
    if (delivery.deliveries <= consumer.maxDeliveries) {
      await deliver(deliveryContext, delivery);
      return;
    }
    const jetstream = connection.jetstream({ timeout: requestTimeoutMs });
    await jetstream.publish(`popsvc.dead.${consumer.name}`, message.data, {
      msgID: `${consumer.name}:${delivery.id}`,
    });
    await delivery.acknowledge();
    recordDeadLetter(deliveryContext, delivery);
  } catch (err) {
    deliveryContext.log.warn(
      { err, consumer: consumer.name, subject: message.subject },
      'failed to deliver message; it will be redelivered',
    );
  }
};

export interface NatsBusDependencies {
  readonly url: string;
  /** Name of the connection, shown by NATS. */
  readonly name: string;
  /** Provides the data of events that are too large for a NATS message. */
  readonly store: Pick<EventStore, 'readEventAt'>;
  readonly log: Log;
  readonly metrics?: BusMetrics;
}

/**
 * Creates the JetStream consumer for one event type. Each type has its own consumer, because before NATS 2.10 a consumer can have
 * only one filter subject.
 */
const ensureConsumer = async (connection: NatsConnection, { name, ackTimeoutMs }: Consumer, type: string) => {
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: requestTimeoutMs });
  const durable = `${name}_${type}`;
  await manager.consumers.add(eventsStream.name, {
    durable_name: durable,
    filter_subject: subjectFilterOf(type),
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackTimeoutMs),
    // JetStream's own delivery limit is disabled, because JetStream keeps a message that exceeds `max_deliver` but never delivers
    // it again. Instead, the bus counts deliveries itself and turns such a message into a dead letter.
    max_deliver: -1,
    max_ack_pending: -1,
    // Without `num_replicas`, a durable consumer has as many replicas as its stream.
  });
  return durable;
};

const longPullMs = 10_000;
const shortPullMs = 1_000;

interface PullContext extends MessageContext {
  readonly permits: PermitPool;
  readonly type: string;
}

/** Pulls messages of one event type as permits become free, until the signal aborts. */
const pullMessages = async ({ permits, type, ...messageContext }: PullContext, signal: AbortSignal): Promise<void> => {
  const { connection, consumer } = messageContext;
  const durable = await ensureConsumer(connection, consumer, type);
  const share = Math.max(1, Math.floor(consumer.maxInFlight / consumer.types.length));
  // Each pull occupies permits while it waits. If there are fewer permits than event types, a long pull for one type would delay
  // the messages of other types.
  const expiresMs = consumer.types.length > consumer.maxInFlight ? shortPullMs : longPullMs;
  for (;;) {
    const maxMessages = await permits.acquire(share);
    const isAborted = maxMessages === 0;
    if (isAborted) return;
    let used = 0;
    try {
      const request = { connection, stream: eventsStream.name, durable, maxMessages, expiresMs };
      for await (const message of pull(request, signal)) {
        used += 1;
        void handleMessage(messageContext, message).finally(() => permits.release(1));
      }
    } finally {
      permits.release(maxMessages - used);
    }
  }
};

/** Creates a bus on NATS JetStream. The relay publishes the events from the log to JetStream. */
export const createNatsBus = ({ url, name, store, log, metrics }: NatsBusDependencies): MessageBus => {
  const connections = createNatsConnection(url, name);
  const consumers = createRunningConsumers();
  return {
    consume: (consumer, handle, consumerSignal) =>
      consumers.run(consumerSignal, async (signal) => {
        const permits = createPermitPool(consumer.maxInFlight, signal);
        const deliveryContext = { log, metrics, consumer: consumer.name, handle };
        await Promise.all(
          consumer.types.map((type) =>
            retryUntilAborted({ task: `deliver ${type} to ${consumer.name}`, log, signal }, async () =>
              pullMessages(
                { connection: await ensureStreams(connections), store, consumer, deliveryContext, permits, type },
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
