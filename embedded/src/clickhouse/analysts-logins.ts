import { createHash, timingSafeEqual } from 'node:crypto';
import type { ClickHouseUser } from './roles.ts';

/** Rejects if the engine does not respond or reports an error. */
export type CheckLogin = (user: string, password: string) => Promise<boolean>;

/** SHA-256 as hexadecimal text; undefined if there is no such analyst. */
export type ReadPasswordHash = (user: string) => Promise<string | undefined>;

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** `readPasswordHash` is called only for names that are not in `users`. */
export const createLoginCheck = (users: readonly ClickHouseUser[], readPasswordHash: ReadPasswordHash): CheckLogin => {
  const atStart = new Map(
    users.map((user) => [
      user.name,
      'password' in user ? sha256(user.password) : Buffer.from(user.passwordSha256Hex, 'hex'),
    ]),
  );
  return async (user, password) => {
    // The proxy writes the name into the query id, from which the analysts' views parse it. With other characters, they could read another
    // name.
    if (!/^[a-z][a-z0-9_]*$/.test(user)) return false;
    const expected = atStart.get(user) ?? Buffer.from((await readPasswordHash(user)) ?? '', 'hex');
    return expected.length === 32 && timingSafeEqual(expected, sha256(password));
  };
};
