export { retryUntilAborted } from './retry-until-aborted.ts';
export {
  type LeasedSubscriptionDependencies,
  subscribeWithLease,
  type LeasedSubscription,
  LeaseHeldElsewhere,
} from './leased-subscription.ts';
export type { NatsStatus, NatsStreamStatus } from './nats-connection.ts';
export { type EventPublisher, createNatsPublisher } from './nats-publisher.ts';
