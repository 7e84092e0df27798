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

/** A cached asynchronous value; concurrent callers share one load. */
interface CachedValue<T> {
  /** Resolves with a value that is at most `maxAgeMs` old. */
  readonly within: (maxAgeMs: number) => Promise<T>;
  /**
   * Loads the value again. Waits until the previous load was at least `minIntervalMs` ago; all calls during the wait share one
   * load.
   */
  readonly fresh: () => Promise<T>;
  readonly forget: () => void;
}

/** Minimum time in ms between a load and the next one by `fresh`. */
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

/** The signing keys of the built-in provider, shared by all processes through PostgreSQL. */
export interface KeyRing {
  /** Resolves with the current signing key. Creates one if there is none and replaces one that is too old. */
  readonly signing: () => Promise<{ readonly kid: string; readonly key: CryptoKey }>;
  /** Resolves with the public key for a key id, or undefined if no valid signing key has that id. */
  readonly verifying: (kid: string) => Promise<CryptoKey | undefined>;
  readonly jwks: () => Promise<{ readonly keys: readonly JWK[] }>;
}

const rowOf = (kid: string) => ({ table: 'signing_keys', id: kid });

/** Decrypts the private key of a signing key. Throws a SealedSecretError if that is not possible. */
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

/** Replaces the signing key only if its id still equals `seen`. Concurrent rotations therefore create only one key. */
const replaceKey = async (
  postgres: Postgres,
  sealer: SecretSealer,
  seen: string | undefined,
  keepSeconds: number,
): Promise<boolean> => replaceSigningKey(postgres, { seen, next: await generateSigningKey(sealer), keepSeconds });

/**
 * Rotates the signing key. Tokens signed with the old key stay valid until they expire; with `endTokens` they become invalid within 5 s.
 * Resolves with false if another process rotated the key at the same time.
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
/** Maximum age in ms of the key set that `jwks` returns. */
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
      // If the key id is unknown, another process may have created the key since the last load. The keys are then loaded again, so
      // tokens signed with the new key are accepted at once.
      return (await verification.within(keyCacheMs)).byId.get(kid) ?? (await verification.fresh()).byId.get(kid);
    },
    async jwks() {
      const { kid } = await signing.within(keyCacheMs);
      const published = await verification.within(publishedMaxAgeMs);
      return (published.byId.has(kid) ? published : await verification.fresh()).jwks;
    },
  };
};
