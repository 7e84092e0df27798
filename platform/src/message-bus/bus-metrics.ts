import { Counter, type Registry } from '../telemetry/index.ts';

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
