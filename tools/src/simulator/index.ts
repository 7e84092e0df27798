export { createRowChecker } from './verify.ts';
export { type Delivery, generateDeliveries, type TrafficOptions } from './deliveries.ts';
export { findDarkPeriod } from './live-incidents.ts';
export { generateRows } from './live-rows.ts';
export { createLiveTraffic } from './live-traffic.ts';
export { averageVisitors } from './detections.ts';
export { type SimulationOptions } from './simulate.ts';
export { playKey, type SentCounts } from './sent.ts';
export { createWorld, type SimulatedNetwork } from './world.ts';
