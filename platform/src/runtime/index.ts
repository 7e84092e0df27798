export { type Clock, systemClock } from './clock.ts';
export { deadline, DeadlineExceeded } from './deadline.ts';
export { type Lifecycle, lifecycle, type Stop } from './lifecycle.ts';
export { createLog, type Log, type LogLevel, logLevels } from './log.ts';
export { Counter, createMetrics, Gauge, Histogram, latencyBuckets, type Registry } from './metrics.ts';
export { onParentGone, onSignal } from './on-signal.ts';
export { runProcess } from './run-process.ts';
export { type Schedule, schedule } from './schedule.ts';
