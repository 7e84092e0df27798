export { damagedTables, findVerifiedRun, isRunVerified, markRunVerified, verifyGeneration } from './damage.ts';
export { readDefinitions } from './definitions.ts';
export { watchForDamage } from './damage-watch.ts';
export {
  checkShards,
  isReplicaReady,
  isServerReady,
  onEachServer,
  onEachShard,
  pinToReplica,
  pingServers,
  readReplicaStates,
  type ReplicaState,
  serverStates,
  syncDeletions,
} from './replicas.ts';
export { areAllShards, createShardRuns, hasShardViews, readRemoteShards, showVerifiedRuns } from './shard-views.ts';
export {
  createDamageReporter,
  readReadableState,
  rejectUnreadableTables,
  type ReportDamage,
  requireVerified,
} from './readable-tables.ts';
export { checkNextPart } from './part-checks.ts';
export { compareWithList, readActiveParts } from './table-parts.ts';
export { dropGenerationProgress, pointProgressView, prunePendingRanges } from './progress.ts';
export { createGenerationTables, dropGenerationTables, ensureSchema, pointReadersAt } from './schema.ts';
export {
  ensureAnalystViews,
  findGenerationsHiddenFromAnalysts,
  findMissingAnalystViews,
  repairAnalystViews,
  runAnalystViewRepair,
} from './analyst-views.ts';
export {
  countPartitions,
  findGenerations,
  type Generation,
  projectionInShard,
  type ProjectionDeclaration,
  withReaderLock,
} from './generations.ts';
export { projectionNameFormat, type ProjectionName, projectionNames } from '../declarations/projection-names.ts';
export { planReplaysOfUnreadable, retryFailedReplays } from './incomplete-tables.ts';
export { chooseReplaySource, findFactsProblem } from './replay-source.ts';
export { openGenerations } from './open-generations.ts';
export { pruneHistory, recordLiveGeneration, shortenHistory } from './report-history.ts';
