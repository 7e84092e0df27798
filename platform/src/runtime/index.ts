export { type Signal, createSignal } from './bell.ts';
export { type Clock, systemClock } from './clock.ts';
export { withDeadline, DeadlineExceeded } from './deadline.ts';
export { reachFailPoint } from './fail-point.ts';
export { type ProcessLifecycle, createProcessLifecycle, type StopFunction } from './lifecycle.ts';
export { onParentExit, onProcessSignal } from './on-signal.ts';
export { runProcess } from './run-process.ts';
export { createSampler, type SamplerOptions } from './sampled.ts';
export { type Schedule, startSchedule } from './schedule.ts';
