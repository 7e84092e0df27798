export { accountsOf } from './accounts.ts';
export { conducted } from './conducting.ts';
export { dropGenerations } from './drop-generations.ts';
export { type Fingerprint, fingerprintSql } from './fingerprint.sql.ts';
export type { ReplayParts } from './replay-parts.ts';
export { replaying } from './replaying.ts';
