export { retryUntilAborted } from './consumer-loop.ts';
export { type BusMetrics, createBusMetrics } from './delivery.ts';
export {
  type LeasedSubscriptionDependencies,
  subscribeWithLease,
  type LeasedSubscription,
  LeaseHeldElsewhere,
} from './leased-subscription.ts';
export { createLogBus, type LogBusDependencies } from './log-bus.ts';
export { createNatsBus, type NatsBusDependencies } from './nats-bus.ts';
export type { NatsStatus, NatsStreamStatus } from './nats-connection.ts';
export { type EventPublisher, createNatsPublisher } from './nats-publisher.ts';
export type { MessageBus, Consumer, Delivery, MessageHandler, Message } from './port.ts';
