export {
  type AnalystLogin,
  analystLogins,
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
  rateApiKey,
  revokeApiKey,
} from './api-keys.ts';
export { bumpCredentialChanges, credentialChanges } from './credential-changes.ts';
export { endedSessionIds, endSession } from './ended-sessions.ts';
export {
  answerRequest,
  type Claim,
  claimRequest,
  type Claimed,
  forgetRequest,
  keepRequest,
  releaseRequest,
  tryLivesSeconds,
  withdrawRequest,
} from './idempotency-keys.ts';
export { findRequest, type KnownRequest, sweepRequests } from './known-requests.ts';
export type { RequestName } from './request-name.ts';
export { exclusively } from './exclusively.ts';
export { type HeldLease, holdLease } from './hold-lease.ts';
export { inTransaction } from './in-transaction.ts';
export { inTurn } from './in-turn.ts';
export { isUnavailable } from './is-unavailable.ts';
export { dueMigrations, migrate } from './migrate.ts';
export type { Migration } from './migrations/migration.ts';
export { parkedOfLive } from './parked-summary.ts';
export { openRecords, type Queryable, type Records, type RecordsOptions } from './open-records.ts';
export { type Advance, type Begun, type Checkpoint, type Checkpoints, checkpoints, type Move } from './checkpoints.ts';
export type { ParkedEvent, Parking, SettledEvents } from './parked-events.ts';
export { countParked, listParked, type ParkedRecord, type ParkedWanted } from './parked-list.ts';
export { type Asked, askAgainBefore, askParked, decidingAlone } from './ask-parked.ts';
export { type LeaseKey, type Leases, leases } from './leases.ts';
export { keepLivenessStates, type LivenessState, livenessStates } from './liveness-states.ts';
export {
  beginProjection,
  type GenerationRecord,
  type GenerationState,
  noteLacks,
  pauseProjection,
  readGenerations,
} from './generations.ts';
export {
  type IntakeFigure,
  type LagFigure,
  readIntake,
  readLag,
  sweepFigures,
  tellIntake,
  tellLag,
  wasLagTold,
} from './figures.ts';
export { heldAt, holdGeneration, releaseGeneration } from './holds.ts';
export { type Conducting, noteReplay, type ReplayChange, replayLease } from './conduct-replay.ts';
export { forgetGeneration, generationsToDrop, giveUpGeneration, type ToDrop } from './dropped-generations.ts';
export { type NoRollback, planReplay, planRollback, type ReplayWish } from './plan-replay.ts';
export {
  cancelReplay,
  type Difference,
  findReplay,
  type EventAccount,
  readReplays,
  type ReplayRecord,
  type ReplayState,
  type ReplayStep,
  unfinishedReplays,
} from './replays.ts';
export { type StillBy, type Switch, switchGenerations } from './switch-generations.ts';
export { readStandings, type StandingRecord, tellStandings, type ToldStanding } from './standings.ts';
export {
  addClientSecret,
  clientSecretHashes,
  type ClientRecord,
  findClient,
  insertClient,
  listClients,
  type NewClientRecord,
  revokeClient,
} from './clients.ts';
export {
  currentSigningKey,
  listSigningKeys,
  publicSigningKeys,
  replaceSigningKey,
  type SigningKeyRecord,
  type SigningKeyState,
} from './signing-keys.ts';
export { type BuildPart, type BuildStep, endPart, movePart, type NewBuildPart, openParts } from './build-parts.ts';
export { type BuildStanding, buildStanding } from './build-standing.ts';
export { beginBuild, type BuildRecord, endBuild, readBuild } from './builds.ts';
export {
  type Counted,
  eventsOf,
  noTally,
  noteTally,
  readTally,
  sumOfTallies,
  type Tallied,
  type Tally,
} from './tallies.ts';
export { distrustParts, maybeLostMs } from './distrust-parts.ts';
export { recordedText } from './text.ts';
