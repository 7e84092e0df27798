import { createHash, timingSafeEqual } from 'node:crypto';
import type { ClickHouseUser } from './roles.ts';

/** Resolves with whether an analyst has this name and password; rejects if the engine does not respond. */
export type CheckLogin = (user: string, password: string) => Promise<boolean>;

/** Reads the SHA-256 hash of an analyst's password, as hexadecimal text; undefined if there is no such analyst. */
export type ReadPasswordHash = (user: string) => Promise<string | undefined>;

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Creates the check of logins against `users` and, for other names, against the hashes that the service has stored in the engine. */
export const createLoginCheck = (users: readonly ClickHouseUser[], readPasswordHash: ReadPasswordHash): CheckLogin => {
  const atStart = new Map(
    users.map((user) => [
      user.name,
      'password' in user ? sha256(user.password) : Buffer.from(user.passwordSha256Hex, 'hex'),
    ]),
  );
  return async (user, password) => {
    // The name becomes a part of the query id, from which the views read it.
    if (!/^[a-z][a-z0-9_]*$/.test(user)) return false;
    const expected = atStart.get(user) ?? Buffer.from((await readPasswordHash(user)) ?? '', 'hex');
    return expected.length === 32 && timingSafeEqual(expected, sha256(password));
  };
};
