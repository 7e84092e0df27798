import type { Log } from '../telemetry/index.ts';
import type { BusMetrics } from './bus-metrics.ts';
import type { Delivery, MessageHandler, Message } from './port.ts';

export interface Post {
  readonly log: Log;
  readonly metrics?: BusMetrics | undefined;
  readonly consumer: string;
  readonly handle: MessageHandler;
}

const longestPauseMs = 60_000;
const pauseMs = (deliveries: number) => Math.min(longestPauseMs, 250 * 2 ** Math.min(deliveries - 1, 10));

/** Never throws: what is not handled comes again. */
export const deliver = async ({ log, metrics, consumer, handle }: Post, delivery: Delivery): Promise<void> => {
  metrics?.delivered(consumer);
  try {
    await handle(delivery);
  } catch (err) {
    const { id, type, stream, deliveries } = delivery;
    log.warn({ err, consumer, id, type, stream, deliveries }, 'a message was not handled; it comes again');
    // Where this fails, the end of the patience brings it again.
    await delivery.redeliverAfter(pauseMs(deliveries)).catch(() => undefined);
  }
};

/** Tells of a message that is set aside. */
export const bury = ({ log, metrics, consumer }: Omit<Post, 'handle'>, message: Message): void => {
  metrics?.died(consumer);
  const { id, type, stream, deliveries } = message;
  log.error({ consumer, id, type, stream, deliveries }, 'a message was set aside as dead: nobody could handle it');
};
