import { type Msg, nanos, type NatsConnection } from 'nats';
import type { EventStore } from '../../event-store/index.ts';
import { bury, deliver, type Post } from '../deliver.ts';
import type { Consumer, Delivery } from '../port.ts';
import { decode } from './message-body.ts';
import { answerMs } from './nats-feed.ts';

export interface Receiving {
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
export const receive = async (parts: Receiving, message: Msg): Promise<void> => {
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
