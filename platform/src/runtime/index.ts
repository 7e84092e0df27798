export { type Signal, createSignal } from './signal.ts';
export {
  type Clock,
  DeadlineExceeded,
  pauseAfter,
  type Schedule,
  startSchedule,
  systemClock,
  withDeadline,
} from './time.ts';
export { readJsonFile, replaceFile, syncDirectory, syncDirectoryTree, writeJsonFile } from './durable-files.ts';
export { describeFailure, OperatorError } from './operator-error.ts';
export { reachFailPoint } from './fail-point.ts';
export { onParentExit, onProcessSignal, type ProcessLifecycle, runProcess, type StopFunction } from './process.ts';
export { isProcessAlive, lowerPriority, readProcessStart } from './process-identity.ts';
export { createFairTurns, type EndTurn, type FairTurns } from './fair-turns.ts';
export { type CachedRead, cacheRead } from './cached-read.ts';
export { createSampler, type SamplerOptions } from './sampler.ts';
export { popsvcVersion } from './version.ts';
export { Degraded, degraded, NotReadyError, type ReadinessCheck } from './readiness.ts';
