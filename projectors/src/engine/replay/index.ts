export type {
  BuildTarget,
  Building,
  BuildDependencies,
  BuildProgress,
  RunBuildWorkers,
} from '../parallel-build/build.ts';
export { buildGeneration } from './build-generation.ts';
export { buildInProcesses, countLogInProcess } from '../parallel-build/processes.ts';
export { type CountLog, countLog, type LogCounts } from '../parallel-build/log-counter.ts';
export { startShadowFollower } from './shadow-build.ts';
export { buildInThisProcess } from '../parallel-build/worker.ts';
export { compareWithLog } from './event-accounts.ts';
export { runReplay } from './run-replay.ts';
export { dropGenerations, superviseReplays } from './supervise-replays.ts';
export { type Fingerprint, fingerprintSql } from './compare.ts';
export type { ReplayDependencies } from './dependencies.ts';
