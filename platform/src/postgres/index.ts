export {
  type AccountRecord,
  deleteAccount,
  findAccount,
  insertAccount,
  listAccounts,
  setAccountPassword,
  setAccountRole,
} from './accounts.ts';
export { type AnalystRecord, insertAnalyst, listAnalysts, type NewAnalystRecord, revokeAnalyst } from './analysts.ts';
export {
  type ApiKeyRecord,
  findApiKey,
  insertApiKey,
  listApiKeys,
  type NewApiKeyRecord,
  setApiKeyRates,
  revokeApiKey,
} from './api-keys.ts';
export { endSession, readCredentialVersion, readEndedSessionIds } from './revocations.ts';
export {
  type ClaimedRequest,
  claimRequest,
  claimTimeoutSeconds,
  deleteExpiredRequests,
  deleteRequest,
  findRequest,
  releaseClaim,
  renewClaim,
  type RequestClaim,
  type RequestKey,
  type StoredRequest,
  storeResponse,
  withdrawClaim,
} from './idempotency.ts';
export {
  addDerivedRows,
  type ExhaustedNetwork,
  pruneDerivedRows,
  readDerivedRows,
  readExhaustedNetworks,
} from './derived-rows.ts';
export {
  type CopiedCheckpoint,
  type CopiedTable,
  type DatabaseCopy,
  DatabaseLayout,
  fillDatabase,
  findUnknownMigrations,
  openDatabaseCopy,
} from './database-copy.ts';
export { lockKeys, tryWithLock, withLock } from './locks.ts';
export {
  joinMember,
  type ListedMember,
  listMembers,
  type Member,
  readMembers,
  readMembersOfSet,
  removeMember,
  reportMember,
} from './members.ts';
export {
  findPartitionCount,
  readPartitionCount,
  recordPartitionCount,
  type RepartitionedGeneration,
  replacePartitions,
  withMembersLock,
} from './partitioning.ts';
export { readProjectedPositions } from './projected-positions.ts';
export {
  countRowsOfSet,
  forgetProjectionSet,
  type ForgottenSet,
  type ProjectionSet,
  readFormerSets,
  readProjectionNames,
  type TableRows,
} from './projection-sets.ts';
export { claimJob, type ClaimedJob, type JobClaim, type JobClass, type OpenJob, storeOpenJobs } from './open-jobs.ts';
export {
  claimUploadChecks,
  postponeUploadCheck,
  removeOpenUpload,
  storeOpenUploads,
  type UploadCheck,
} from './open-uploads.ts';
export {
  createLeaseStore,
  type GenerationKey,
  type HeldLease,
  holdLease,
  type LeaseKey,
  type LeasePreference,
  type LeaseStore,
} from './leases.ts';
export {
  inTransaction,
  isPostgresUnavailable,
  openPostgres,
  type Postgres,
  type PostgresOptions,
  type Queryable,
  replaceNulCharacters,
} from './pool.ts';
export {
  AsynchronousReplication,
  countMissingStandbys,
  findMissingGuarantee,
  parseStandbyNames,
  readReplicationState,
  type ReplicationState,
  requireSynchronousStandby,
  type Standby,
} from './replication.ts';
export { compareMigrations, migrate, type Migration, UnsupportedDatabase } from './migrate.ts';
export { type ChecksumState, type DamagedTable, findDamagedTables, readChecksumState } from './damage.ts';
export {
  countParkedEvents,
  decideUnlessReplaying,
  listParkedEvents,
  type ParkedEventRecord,
  type ParkedEventsQuery,
  readStaleDecisionCutoff,
  readStopErrors,
  requestParkedDecision,
  type SelectedParkedEvent,
  summarizeLiveParkedEvents,
} from './parked-event-decisions.ts';
export {
  type CheckpointAdvance,
  type BatchStart,
  type Checkpoint,
  type CheckpointStore,
  createCheckpointStore,
  type CheckpointMove,
  type HandledEvent,
} from './checkpoints.ts';
export { copyParkedEvents, type ParkedEvent, type ParkingState, type SettledParkedEvents } from './parked-events.ts';
export { saveLivenessStates, type LivenessState, readLivenessStates } from './liveness-states.ts';
export {
  abandonGeneration,
  collectGenerationsToDrop,
  deleteGeneration,
  type GenerationRecord,
  type GenerationState,
  type GenerationToDrop,
  holdGeneration,
  pauseProjection,
  readGenerations,
  readHeldPositions,
  recordIncompleteTables,
  registerProjection,
  releaseGeneration,
} from './generations.ts';
export {
  findGenerationsBeyond,
  isRepairRecorded,
  type LostEvents,
  recordLogChange,
  recordLogRepair,
} from './log-repairs.ts';
export {
  type IntakeMinute,
  type LagSample,
  readIntakeMinutes,
  readLagMinutes,
  deleteOldMinutes,
  writeIntakeMinutes,
  writeLagSample,
  wasLagSampled,
} from './minute-statistics.ts';
export {
  deleteOldRefusedHours,
  readRefusals,
  type RefusedHour,
  type Refusals,
  writeRefusedHours,
} from './refused-hours.ts';
export {
  type ChosenSource,
  findReplay,
  type GenerationSwitch,
  planReplay,
  planRollback,
  readReplays,
  type ReplayCoordination,
  replayLeaseKey,
  type ReplayRecord,
  type ReplayRequest,
  type ReplaySource,
  type ReplayState,
  type ReplayStep,
  type ReplayUpdate,
  requestReplayCancellation,
  type RollbackRejection,
  type RowDifference,
  switchGenerations,
  readUnfinishedReplays,
  updateReplay,
  type WriterStopProof,
} from './replays.ts';
export {
  readProjectionStatuses,
  type ProjectionStatusRecord,
  writeProjectionStatuses,
  type ProjectionStatusReport,
} from './projection-status.ts';
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
export { createSecretSealer, SealedSecretError, type SecretSealer } from './sealed-secrets.ts';
export {
  readCurrentSigningKey,
  listSigningKeys,
  readPublicSigningKeys,
  replaceSigningKey,
  type SigningKeyRecord,
  type SigningKeyState,
} from './signing-keys.ts';
export {
  claimPartToCheck,
  clearSuspectedTables,
  deletePartList,
  type ListedPart,
  type LostPart,
  type PartList,
  type PartSnapshot,
  readLostParts,
  readPartList,
  readSuspectedTables,
  recordDamage,
  recordHealing,
  storePartList,
  suspectTables,
  type TableDamage,
  takePartSnapshot,
} from './table-parts.ts';
export {
  claimDeliveries,
  type ClaimedDelivery,
  countDeliveries,
  deleteWebhook,
  type DeliveryCounts,
  type DeliveryRecord,
  insertDeliveries,
  insertTestDelivery,
  insertWebhook,
  listDeliveries,
  listWebhooks,
  type NewDelivery,
  openWebhookSecret,
  pruneWebhooks,
  recordAttempt,
  readWebhookSecrets,
  requestRedelivery,
  rotateWebhookSecret,
  sealSecretsInClear,
  type NewWebhookRecord,
  type WebhookFilter,
  type WebhookRecord,
} from './webhooks.ts';
export {
  addReportDayHashes,
  readReportDayChecks,
  readReportDayHashes,
  type ReportDayCheck,
  type ReportDayHash,
  saveReportDayCheck,
} from './report-days.ts';
