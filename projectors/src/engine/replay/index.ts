export {
  type BuildGeneration,
  type BuildProgress,
  type BuildTarget,
  buildGeneration,
  buildThreads,
} from './build-generation.ts';
export { buildInBackground } from './background.ts';
export { copyFacts, groupFacts } from './copy-facts.ts';
export { withPausedGeneration } from './pause.ts';
export { runReplay } from './run-replay.ts';
export { dropGenerations, superviseReplays } from './supervise-replays.ts';
export { compareGenerations, type Fingerprint, fingerprintSql } from './compare.ts';
export type { ReplayDependencies } from './dependencies.ts';
