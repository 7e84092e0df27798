import { AckPolicy, createInbox, DeliverPolicy, type Msg, nanos, type NatsConnection } from 'nats';
import type { EventStore } from '../event-store/index.ts';
import { withDeadline } from '../runtime/index.ts';
import type { Log } from '../telemetry/index.ts';
import { bury, type BusMetrics, createHands, deliver, type Hands, type Post } from './delivery.ts';
import { keepGoing } from './retry-loop.ts';
import { connectionTo, ensureStreams, eventsStream } from './nats-connection.ts';
import { decode, subjectsOf } from './nats-messages.ts';
import { answerMs } from './nats-publisher.ts';
import type { Consumer, Delivery, MessageBus } from './port.ts';

/** What the server says instead of a message: nothing more by the end of the pull; nothing now; still there. */
const [expired, nothing, alive] = [408, 404, 100];
/** How much later than the server we give a pull up. */
const graceMs = 3_000;

interface Pull {
  readonly connection: NatsConnection;
  readonly stream: string;
  readonly durable: string;
  /** At most so many messages, */
  readonly many: number;
  /** for so long. */
  readonly forMs: number;
}

/** Asks once for messages, and gives them as they come. Throws when the consumer is gone or the server does not answer. */
async function* pull({ connection, stream, durable, many, forMs }: Pull, signal: AbortSignal): AsyncGenerator<Msg> {
  const reply = createInbox();
  const answers = connection.subscribe(reply);
  const stop = () => answers.unsubscribe();
  const timer = setTimeout(stop, forMs + graceMs);
  signal.addEventListener('abort', stop);
  try {
    const asked = JSON.stringify({ batch: many, expires: nanos(forMs) });
    connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, asked, { reply });
    let received = 0;
    for await (const message of answers) {
      const { code = 0, description = '' } = message.headers ?? {};
      if (code === expired || code === nothing) return;
      if (code === alive) continue;
      if (code !== 0) throw new Error(`NATS refused to give messages: ${code} ${description}`);
      yield message;
      received += 1;
      if (received === many) return;
    }
    if (!signal.aborted) throw new Error('NATS went away, or did not answer');
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    if (!answers.isClosed()) stop();
  }
}

interface Receiving {
  readonly connection: NatsConnection;
  readonly store: Pick<EventStore, 'readEventAt'>;
  readonly consumer: Consumer;
  readonly post: Post;
}

const [ack, inProgress, nak] = ['+ACK', '+WPI', '-NAK'];

/** `$JS.ACK.[domain.account.]stream.consumer.deliveries.…`: JetStream tells it in the address for acknowledgements. */
const deliveriesOf = ({ reply = '' }: Msg): number => {
  const tokens = reply.split('.');
  return Number(tokens[tokens.length > 9 ? 6 : 4]);
};

/** Over the connection that brought it: after a wipe of the server the same address may belong to another message. */
const delivery = async ({ connection, store }: Receiving, message: Msg): Promise<Delivery> => {
  const tell = async (what: string) => {
    await connection.request(message.reply ?? '', what, { timeout: answerMs });
  };
  const { id, type, stream, data, metadata } = await decode(message.string(), store);
  return {
    ...{ id, type, stream, data, metadata },
    deliveries: deliveriesOf(message),
    acknowledge: () => tell(ack),
    extendAckTimeout: () => tell(inProgress),
    redeliverAfter: (afterMs) => tell(afterMs > 0 ? `${nak} ${JSON.stringify({ delay: nanos(afterMs) })}` : nak),
  };
};

/** Hands a message on, or sets it aside when that was done too often. Never throws. */
const receive = async (parts: Receiving, message: Msg): Promise<void> => {
  const { connection, consumer, post } = parts;
  try {
    const received = await delivery(parts, message);
    if (received.deliveries <= consumer.maxDeliveries) {
      await deliver(post, received);
      return;
    }
    const kept = connection.jetstream({ timeout: answerMs });
    await kept.publish(`popsvc.dead.${consumer.name}`, message.data, { msgID: `${consumer.name}:${received.id}` });
    await received.acknowledge();
    bury(post, received);
  } catch (err) {
    post.log.warn(
      { err, consumer: consumer.name, subject: message.subject },
      'a message could not be taken; it comes again',
    );
  }
};

export interface NatsBusDependencies {
  readonly url: string;
  /** Shown by NATS as the owner of the connection. */
  readonly name: string;
  /** Where data are read that are too large for a message. */
  readonly store: Pick<EventStore, 'readEventAt'>;
  readonly log: Log;
  readonly metrics?: BusMetrics;
}

/** A consumer of JetStream has one filter in servers before 2.10, so each type has one of its own. */
const ensureConsumer = async (connection: NatsConnection, { name, ackTimeoutMs }: Consumer, type: string) => {
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: answerMs });
  await ensureStreams(manager);
  const durable = `${name}_${type}`;
  await manager.consumers.add(eventsStream.name, {
    durable_name: durable,
    filter_subject: subjectsOf(type),
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackTimeoutMs),
    // Counted by us: the server would go on keeping what it does not bring any more, and tell nobody.
    max_deliver: -1,
    max_ack_pending: -1,
  });
  return durable;
};

const [longMs, shortMs] = [10_000, 1_000];

interface Task extends Receiving {
  readonly hands: Hands;
  readonly type: string;
}

/** Takes messages of a type as hands are free, until the signal. */
const bring = async ({ hands, type, ...parts }: Task, signal: AbortSignal): Promise<void> => {
  const { connection, consumer } = parts;
  const durable = await ensureConsumer(connection, consumer, type);
  const share = Math.max(1, Math.floor(consumer.maxInFlight / consumer.types.length));
  // With fewer hands than types, they take turns.
  const forMs = consumer.types.length > consumer.maxInFlight ? shortMs : longMs;
  for (;;) {
    const many = await hands.some(share);
    if (many === 0) return;
    let inUse = 0;
    try {
      for await (const message of pull({ connection, stream: eventsStream.name, durable, many, forMs }, signal)) {
        inUse += 1;
        void receive(parts, message).finally(() => hands.back(1));
      }
    } finally {
      hands.back(many - inUse);
    }
  }
};

/** The bus on NATS JetStream, which a relay feeds from the log. */
export const createNatsBus = ({ url, name, store, log, metrics }: NatsBusDependencies): MessageBus => {
  const link = connectionTo(url, name);
  const end = new AbortController();
  const consuming = new Set<Promise<unknown>>();
  const consume: MessageBus['consume'] = async (consumer, handle, asked) => {
    const signal = AbortSignal.any([asked, end.signal]);
    const hands = createHands(consumer.maxInFlight, signal);
    const post = { log, metrics, consumer: consumer.name, handle };
    const bringing = consumer.types.map((type) =>
      keepGoing({ what: `bringing ${type} to ${consumer.name}`, log, signal }, async () =>
        bring({ connection: await link.open(), store, consumer, post, hands, type }, signal),
      ),
    );
    await Promise.all(bringing);
    await hands.empty();
  };
  return {
    consume(...given) {
      const done = consume(...given);
      consuming.add(done);
      return done.finally(() => consuming.delete(done));
    },
    async ping() {
      await withDeadline((await link.open()).flush(), answerMs, 'the ping of NATS');
    },
    async close() {
      end.abort();
      await Promise.allSettled(consuming);
      await link.close();
    },
  };
};
