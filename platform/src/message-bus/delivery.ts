import { Counter, type Log, type Registry } from '../telemetry/index.ts';
import type { Delivery, Message, MessageHandler } from './port.ts';

/** Figures of every bus of a process. */
export interface BusMetrics {
  delivered(consumer: string): void;
  died(consumer: string): void;
}

export const createBusMetrics = (metrics: Registry): BusMetrics => {
  const [labelNames, registers] = [['consumer'], [metrics]];
  const delivered = new Counter({
    name: 'popsvc_bus_deliveries_total',
    help: 'Messages brought to a consumer, again ones included.',
    labelNames,
    registers,
  });
  const died = new Counter({
    name: 'popsvc_bus_dead_total',
    help: 'Messages set aside after too many deliveries.',
    labelNames,
    registers,
  });
  return {
    delivered: (consumer) => delivered.inc({ consumer }),
    died: (consumer) => died.inc({ consumer }),
  };
};

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

/** How much one process has in hand at a time. */
export interface Hands {
  /** At least one and at most so many, as soon as any is free, in the order of asking; none once the signal is given. */
  some(most: number): Promise<number>;
  back(many: number): void;
  /** When none is in use. */
  empty(): Promise<void>;
}

export const createHands = (many: number, signal: AbortSignal): Hands => {
  let free = many;
  const asking: (() => void)[] = [];
  let emptied: () => void = () => undefined;
  const next = () => {
    if (free > 0) asking.shift()?.();
  };
  signal.addEventListener(
    'abort',
    () => {
      for (const wake of asking.splice(0)) wake();
    },
    { once: true },
  );
  return {
    some: (most) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve(0);
          return;
        }
        asking.push(() => {
          const taken = signal.aborted ? 0 : Math.min(free, most);
          free -= taken;
          resolve(taken);
          next();
        });
        next();
      }),
    back(returned) {
      free += returned;
      next();
      if (free === many) emptied();
    },
    empty: () =>
      new Promise((resolve) => {
        emptied = resolve;
        if (free === many) resolve();
      }),
  };
};
