export { rowChecker } from './check-rows.ts';
export { type Delivery, deliveriesOf, type TrafficWish } from './deliveries.ts';
export { crowdAt } from './crowd.ts';
export { simulate, type SimulationWish } from './simulate.ts';
export { playKey, type SentCounts } from './sent.ts';
export { worldOf } from './world.ts';
