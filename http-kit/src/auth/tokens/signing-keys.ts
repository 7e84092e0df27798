import { setTimeout as sleep } from 'node:timers/promises';
import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import {
  type Postgres,
  readCurrentSigningKey,
  readPublicSigningKeys,
  replaceSigningKey,
  type SecretSealer,
  type SigningKeyRecord,
} from '@popsvc/platform/postgres';
import type { RevocationWatch } from '../revocation-watch.ts';
import { builtInAlgorithm, keyRotationSeconds, keyCacheSeconds, replacedKeyLifetimeSeconds } from './token-format.ts';

interface CachedValue<T> {
  readonly within: (maxAgeMs: number) => Promise<T>;
  /** Loads again, at least `minIntervalMs` after the previous load. Calls during the wait share one load. */
  readonly fresh: () => Promise<T>;
  readonly forget: () => void;
}

const minIntervalMs = 100;

const cacheValue = <T>(load: () => Promise<T>): CachedValue<T> => {
  let [answer, at]: [Promise<T> | undefined, number] = [undefined, -Infinity];
  let next: Promise<T> | undefined;
  const loadNow = () => {
    const loading = load();
    [answer, at] = [loading, performance.now()];
    loading.catch(() => {
      if (answer === loading) answer = undefined;
    });
    return loading;
  };
  const loadAfterInterval = async () => {
    await sleep(Math.max(0, at + minIntervalMs - performance.now()));
    next = undefined;
    return loadNow();
  };
  return {
    within: (maxAgeMs) => (answer && performance.now() - at < maxAgeMs ? answer : loadNow()),
    fresh: () => (next ??= loadAfterInterval()),
    forget() {
      answer = undefined;
    },
  };
};

export interface KeyRing {
  /** Creates a key if there is none, and replaces one that is too old. */
  readonly signing: () => Promise<{ readonly kid: string; readonly key: CryptoKey }>;
  readonly verifying: (kid: string) => Promise<CryptoKey | undefined>;
  readonly jwks: () => Promise<{ readonly keys: readonly JWK[] }>;
}

const rowOf = (kid: string) => ({ table: 'signing_keys', id: kid });

/** Throws SealedSecretError if the key cannot be decrypted. */
export const openPrivateJwk = (
  sealer: SecretSealer,
  { kid, sealedPrivateJwk }: Pick<SigningKeyRecord, 'kid' | 'sealedPrivateJwk'>,
): JWK => JSON.parse(sealer.open(rowOf(kid), sealedPrivateJwk)) as JWK;

const generateSigningKey = async (sealer: SecretSealer): Promise<SigningKeyRecord> => {
  const { publicKey, privateKey } = await generateKeyPair(builtInAlgorithm, { extractable: true });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const publicJwk = { ...jwk, kid, alg: builtInAlgorithm, use: 'sig' };
  const sealedPrivateJwk = sealer.seal(rowOf(kid), JSON.stringify(await exportJWK(privateKey)));
  return { kid, algorithm: builtInAlgorithm, publicJwk, sealedPrivateJwk };
};

/** Has no effect unless the current key id is still `seen`, so concurrent rotations create only one key. */
const replaceKey = async (
  postgres: Postgres,
  sealer: SecretSealer,
  seen: string | undefined,
  keepSeconds: number,
): Promise<boolean> => replaceSigningKey(postgres, { seen, next: await generateSigningKey(sealer), keepSeconds });

/**
 * Tokens of the old key stay valid until they expire, unless `endTokens`. Resolves with false if another process rotated the key at the
 * same time.
 */
export const rotateSigningKey = async (
  postgres: Postgres,
  sealer: SecretSealer,
  { endTokens = false } = {},
): Promise<boolean> => {
  const seen = (await readCurrentSigningKey(postgres))?.kid;
  return replaceKey(postgres, sealer, seen, endTokens ? 0 : replacedKeyLifetimeSeconds);
};

const ensureCurrentKey = async (postgres: Postgres, sealer: SecretSealer) => {
  const current = await readCurrentSigningKey(postgres);
  if (current && current.ageSeconds < keyRotationSeconds) return current;
  await replaceKey(postgres, sealer, current?.kid, replacedKeyLifetimeSeconds);
  const made = await readCurrentSigningKey(postgres);
  if (!made) throw new Error('no signing key is available');
  return made;
};

const importKey = async (jwk: Readonly<Record<string, unknown>>): Promise<CryptoKey> =>
  (await importJWK(jwk as JWK, builtInAlgorithm)) as CryptoKey;

const keyCacheMs = keyCacheSeconds * 1_000;
const publishedMaxAgeMs = 1_000;

export const createKeyRing = (
  postgres: Postgres,
  sealer: SecretSealer,
  watch: Pick<RevocationWatch, 'onChange'>,
): KeyRing => {
  const verification = cacheValue(async () => {
    const stored = await readPublicSigningKeys(postgres);
    const keys = await Promise.all(
      stored.map(async ({ kid, publicJwk }) => [kid, await importKey(publicJwk)] as const),
    );
    return { byId: new Map(keys), jwks: { keys: stored.map(({ publicJwk }) => publicJwk as JWK) } };
  });
  const signing = cacheValue(async () => {
    const current = await ensureCurrentKey(postgres, sealer);
    return { kid: current.kid, key: await importKey({ ...openPrivateJwk(sealer, current) }) };
  });
  watch.onChange(() => {
    verification.forget();
    signing.forget();
  });
  return {
    signing: () => signing.within(keyCacheMs),
    async verifying(kid) {
      // Another process may have created the key since the last load.
      return (await verification.within(keyCacheMs)).byId.get(kid) ?? (await verification.fresh()).byId.get(kid);
    },
    async jwks() {
      const { kid } = await signing.within(keyCacheMs);
      const published = await verification.within(publishedMaxAgeMs);
      return (published.byId.has(kid) ? published : await verification.fresh()).jwks;
    },
  };
};
