export { createRowChecker } from './verify.ts';
export { type Delivery, generateDeliveries, type TrafficOptions } from './deliveries.ts';
export { averageVisitors } from './detections.ts';
export { simulate, type SimulationOptions } from './simulate.ts';
export { playKey, type SentCounts } from './sent.ts';
export { createWorld } from './world.ts';
