import { Counter, type Registry } from '../telemetry/index.ts';

export interface EventStoreMetrics {
  readonly resubscribed: () => void;
  readonly appendFound: () => void;
}

export const createEventStoreMetrics = (metrics: Registry): EventStoreMetrics => {
  const registers = [metrics];
  const resubscriptions = new Counter({
    name: 'popsvc_event_store_resubscriptions_total',
    help: 'Subscriptions that the event store ended because their reader was slower than new events; they go on after the last event.',
    registers,
  });
  const found = new Counter({
    name: 'popsvc_event_store_appends_found_total',
    help: 'Appends that the event store answered with a timeout and that were then found in their stream.',
    registers,
  });
  return {
    resubscribed: () => resubscriptions.inc(),
    appendFound: () => found.inc(),
  };
};
