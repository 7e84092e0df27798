export { type BusMetrics, createBusMetrics } from './bus-metrics.ts';
export {
  type LeasedSubscriptionDependencies,
  subscribeWithLease,
  type LeasedSubscription,
  LeaseHeldElsewhere,
} from './follow-held.ts';
export { createLogBus, type LogBusDependencies } from './log/log-bus.ts';
export { createNatsBus, type NatsBusDependencies } from './nats/nats-bus.ts';
export type { NatsStatus, NatsStreamStatus } from './nats/bus-facts.ts';
export { type EventPublisher, createNatsPublisher } from './nats/nats-feed.ts';
export type { MessageBus, Consumer, Delivery, MessageHandler, Message } from './port.ts';
