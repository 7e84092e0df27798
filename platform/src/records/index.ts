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
export {
  answerRequest,
  type Claim,
  claimRequest,
  type Claimed,
  forgetRequest,
  keepRequest,
  releaseRequest,
  tryLivesSeconds,
} from './idempotency-keys.ts';
export { findRequest, type KnownRequest, sweepRequests } from './known-requests.ts';
export type { RequestName } from './request-name.ts';
export { exclusively } from './exclusively.ts';
export { type HeldLease, holdLease } from './hold-lease.ts';
export { inTransaction } from './in-transaction.ts';
export { isUnavailable } from './is-unavailable.ts';
export { migrate } from './migrate.ts';
export type { Migration } from './migrations/migration.ts';
export { openRecords, type Queryable, type Records, type RecordsOptions } from './open-records.ts';
export {
  type Advance,
  type Begun,
  type Checkpoint,
  type Checkpoints,
  checkpoints,
  type Move,
  type ParkedEvent,
} from './checkpoints.ts';
export { type LeaseKey, type Leases, leases } from './leases.ts';
export { keepLivenessStates, type LivenessState, livenessStates } from './liveness-states.ts';
export {
  beginProjection,
  type GenerationRecord,
  type GenerationState,
  pauseProjection,
  readGenerations,
} from './generations.ts';
export { heldAt, holdGeneration, releaseGeneration } from './holds.ts';
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
