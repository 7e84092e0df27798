import { Counter, type Log, type Registry } from '../telemetry/index.ts';
import type { Delivery, Message, MessageHandler } from './port.ts';

/** Metrics that all buses of a process share. */
export interface BusMetrics {
  delivered(consumer: string): void;
  deadLettered(consumer: string): void;
}

export const createBusMetrics = (metrics: Registry): BusMetrics => {
  const registers = [metrics];
  const labelNames = ['consumer'];
  const delivered = new Counter({
    name: 'popsvc_bus_deliveries_total',
    help: 'Messages delivered to a consumer, including redeliveries.',
    labelNames,
    registers,
  });
  const deadLettered = new Counter({
    name: 'popsvc_bus_dead_total',
    help: 'Messages that became dead letters after too many deliveries.',
    labelNames,
    registers,
  });
  return {
    delivered: (consumer) => delivered.inc({ consumer }),
    deadLettered: (consumer) => deadLettered.inc({ consumer }),
  };
};

export interface DeliveryContext {
  readonly log: Log;
  readonly metrics?: BusMetrics | undefined;
  readonly consumer: string;
  readonly handle: MessageHandler;
}

const maxRedeliveryDelayMs = 60_000;
const redeliveryDelayMs = (deliveries: number) =>
  Math.min(maxRedeliveryDelayMs, 250 * 2 ** Math.min(deliveries - 1, 10));

/** Passes a message to its handler. Never throws: if the handler fails, the message is redelivered. */
export const deliver = async (
  { log, metrics, consumer, handle }: DeliveryContext,
  delivery: Delivery,
): Promise<void> => {
  metrics?.delivered(consumer);
  try {
    await handle(delivery);
  } catch (err) {
    const { id, type, stream, deliveries } = delivery;
    log.warn({ err, consumer, id, type, stream, deliveries }, 'failed to handle message; it will be redelivered');
    // If the request for redelivery fails, the message is redelivered after the acknowledgement timeout.
    await delivery.redeliverAfter(redeliveryDelayMs(deliveries)).catch(() => undefined);
  }
};

/** Logs and counts a message that became a dead letter. */
export const recordDeadLetter = (
  { log, metrics, consumer }: Omit<DeliveryContext, 'handle'>,
  message: Message,
): void => {
  metrics?.deadLettered(consumer);
  const { id, type, stream, deliveries } = message;
  log.error({ consumer, id, type, stream, deliveries }, 'message became a dead letter after too many deliveries');
};
