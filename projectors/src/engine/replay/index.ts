export type {
  BuildTarget,
  Building,
  BuildDependencies,
  BuildProgress,
  RunBuildWorkers,
} from '../parallel-build/build.ts';
export { buildGeneration } from './build-generation.ts';
export { countLogInProcess } from '../parallel-build/count-in-process.ts';
export { type CountLog, countLog, type LogCounts } from '../parallel-build/count-log.ts';
export { startShadowFollower } from './follow-closely.ts';
export { buildInProcesses } from '../parallel-build/in-processes.ts';
export { buildInThisProcess } from '../parallel-build/in-this-process.ts';
export { compareWithLog } from './accounts.ts';
export { runReplay } from './conducting.ts';
export { dropGenerations } from './drop-generations.ts';
export { type Fingerprint, fingerprintSql } from './fingerprint.sql.ts';
export type { ReplayDependencies } from './replay-parts.ts';
export { superviseReplays } from './replaying.ts';
