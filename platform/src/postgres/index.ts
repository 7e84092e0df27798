export {
  type AnalystLogin,
  readAnalystLogins,
  type AnalystRecord,
  insertAnalyst,
  listAnalysts,
  type NewAnalystRecord,
  revokeAnalyst,
} from './analysts.ts';
export {
  type ApiKeyRecord,
  findApiKey,
  insertApiKey,
  listApiKeys,
  type NewApiKeyRecord,
  setApiKeyRates,
  revokeApiKey,
} from './api-keys.ts';
export { bumpCredentialVersion, readCredentialVersion } from './credential-changes.ts';
export { readEndedSessionIds, endSession } from './ended-sessions.ts';
export {
  storeResponse,
  type RequestClaim,
  claimRequest,
  type ClaimedRequest,
  deleteRequest,
  renewClaim,
  releaseClaim,
  claimTimeoutSeconds,
  withdrawClaim,
} from './idempotency-keys.ts';
export { findRequest, type StoredRequest, deleteExpiredRequests } from './known-requests.ts';
export type { RequestKey } from './request-name.ts';
export { tryWithLock } from './exclusively.ts';
export { type HeldLease, holdLease } from './hold-lease.ts';
export { inTransaction } from './in-transaction.ts';
export { withLock } from './in-turn.ts';
export { isPostgresUnavailable } from './is-unavailable.ts';
export { compareMigrations, migrate } from './migrate.ts';
export type { Migration } from './migrations/migration.ts';
export { summarizeLiveParkedEvents } from './parked-summary.ts';
export { openPostgres, type Queryable, type Postgres, type PostgresOptions } from './open-records.ts';
export {
  type CheckpointAdvance,
  type BatchStart,
  type Checkpoint,
  type CheckpointStore,
  createCheckpointStore,
  type CheckpointMove,
} from './checkpoints.ts';
export type { ParkedEvent, ParkingState, SettledParkedEvents } from './parked-events.ts';
export { countParkedEvents, listParkedEvents, type ParkedEventRecord, type ParkedEventsQuery } from './parked-list.ts';
export {
  type SelectedParkedEvent,
  readStaleDecisionCutoff,
  requestParkedDecision,
  decideUnlessReplaying,
} from './ask-parked.ts';
export { type LeaseKey, type LeaseStore, createLeaseStore } from './leases.ts';
export { saveLivenessStates, type LivenessState, readLivenessStates } from './liveness-states.ts';
export {
  registerProjection,
  type GenerationRecord,
  type GenerationState,
  recordMissingTables,
  pauseProjection,
  readGenerations,
} from './generations.ts';
export {
  type IntakeMinute,
  type LagSample,
  readIntakeMinutes,
  readLagMinutes,
  deleteOldMinutes,
  writeIntakeMinutes,
  writeLagSample,
  wasLagSampled,
} from './figures.ts';
export { readHeldPosition, holdGeneration, releaseGeneration } from './holds.ts';
export { type ReplayCoordination, updateReplay, type ReplayUpdate, replayLeaseKey } from './conduct-replay.ts';
export {
  deleteGeneration,
  collectGenerationsToDrop,
  abandonGeneration,
  type GenerationToDrop,
} from './dropped-generations.ts';
export { type RollbackRefusal, planReplay, planRollback, type ReplayRequest } from './plan-replay.ts';
export {
  requestReplayCancellation,
  type RowDifference,
  findReplay,
  type EventTypeAccount,
  readReplays,
  type ReplayRecord,
  type ReplayState,
  type ReplayStep,
  unfinishedReplays,
} from './replays.ts';
export { type WriterStopProof, type GenerationSwitch, switchGenerations } from './switch-generations.ts';
export {
  readProjectionStatuses,
  type ProjectionStatusRecord,
  writeProjectionStatuses,
  type ProjectionStatusReport,
} from './standings.ts';
export {
  addClientSecret,
  readClientSecretHashes,
  type ClientRecord,
  findClient,
  insertClient,
  listClients,
  type NewClientRecord,
  revokeClient,
} from './clients.ts';
export {
  readCurrentSigningKey,
  listSigningKeys,
  readPublicSigningKeys,
  replaceSigningKey,
  type SigningKeyRecord,
  type SigningKeyState,
} from './signing-keys.ts';
export {
  type BuildPart,
  type BuildStep,
  completePart,
  advancePart,
  type NewBuildPart,
  readOpenParts,
} from './build-parts.ts';
export { type BuildProgress, readBuildProgress } from './build-standing.ts';
export { beginBuild, type BuildRecord, completeBuild, readBuild } from './builds.ts';
export {
  type EventOutcomes,
  countEvents,
  emptyTally,
  writeTally,
  readTally,
  addTallies,
  type PositionedTally,
  type Tally,
} from './tallies.ts';
export { resetUnsyncedParts, unsyncedWindowMs } from './distrust-parts.ts';
export { replaceNulCharacters } from './text.ts';
