import { apiKeys } from './0001-api-keys.ts';
import { idempotencyKeys } from './0002-idempotency-keys.ts';
import type { Migration } from './migration.ts';

/** Every step, in order; one line each. */
export const migrations: readonly Migration[] = [apiKeys, idempotencyKeys];
