export { type BusMetrics, busMetrics } from './bus-metrics.ts';
export { type FollowParts, followHeld, type FollowTask, NotOurTurn } from './follow-held.ts';
export { logBus, type LogBusParts } from './log/log-bus.ts';
export { natsBus, type NatsBusParts } from './nats/nats-bus.ts';
export type { BusFacts, StreamFacts } from './nats/bus-facts.ts';
export { type Feed, natsFeed } from './nats/nats-feed.ts';
export type { Bus, Consumer, Delivery, Handle, Message } from './port.ts';
