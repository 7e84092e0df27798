export {
  type ApiKeyRecord,
  findApiKey,
  insertApiKey,
  listApiKeys,
  type NewApiKeyRecord,
  revokeApiKey,
} from './api-keys.ts';
export { bumpCredentialChanges, credentialChanges } from './credential-changes.ts';
export { inTransaction } from './in-transaction.ts';
export { isUnavailable } from './is-unavailable.ts';
export { migrate } from './migrate.ts';
export type { Migration } from './migrations/migration.ts';
export { openRecords, type Queryable, type Records, type RecordsOptions } from './open-records.ts';
