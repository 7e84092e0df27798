import { AckPolicy, DeliverPolicy, nanos, type NatsConnection } from 'nats';
import type { EventStore } from '../../event-store/index.ts';
import { withDeadline } from '../../runtime/index.ts';
import type { Log } from '../../telemetry/index.ts';
import type { BusMetrics } from '../bus-metrics.ts';
import { createHands, type Hands } from '../hands.ts';
import { keepGoing } from '../keep-going.ts';
import type { MessageBus, Consumer } from '../port.ts';
import { connectionTo } from './connection.ts';
import { subjectsOf } from './message-body.ts';
import { answerMs } from './nats-feed.ts';
import { pull } from './pull.ts';
import { receive, type Receiving } from './receive.ts';
import { ensureStreams, eventsStream } from './streams.ts';

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
