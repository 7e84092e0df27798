import { setTimeout as sleep } from 'node:timers/promises';
import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import {
  type Postgres,
  readCurrentSigningKey,
  readPublicSigningKeys,
  replaceSigningKey,
  type SigningKeyRecord,
} from '../../postgres/index.ts';
import type { RevocationWatch } from '../revocation-watch.ts';
import { builtInAlgorithm, keyRotationSeconds, keysBelievedSeconds, replacedKeySeconds } from './token-format.ts';

/** A cached asynchronous value; concurrent callers share one load. */
interface Remembered<T> {
  /** Resolves with a value of at most this age. */
  readonly within: (maxAgeMs: number) => Promise<T>;
  /** Loads the value again. May wait up to `minIntervalMs`, so that many calls share one load. */
  readonly fresh: () => Promise<T>;
  readonly forget: () => void;
}

/** Minimum time between two loads by `fresh`. */
const restMs = 100;

const remembered = <T>(ask: () => Promise<T>): Remembered<T> => {
  let [answer, at]: [Promise<T> | undefined, number] = [undefined, -Infinity];
  let next: Promise<T> | undefined;
  const askNow = () => {
    const asking = ask();
    [answer, at] = [asking, performance.now()];
    asking.catch(() => {
      if (answer === asking) answer = undefined;
    });
    return asking;
  };
  const askAfterRest = async () => {
    await sleep(Math.max(0, at + restMs - performance.now()));
    next = undefined;
    return askNow();
  };
  return {
    within: (maxAgeMs) => (answer && performance.now() - at < maxAgeMs ? answer : askNow()),
    fresh: () => (next ??= askAfterRest()),
    forget() {
      answer = undefined;
    },
  };
};

/** The signing keys of the built-in provider, shared by all processes through PostgreSQL. */
export interface KeyRing {
  /** Resolves with the current signing key. Creates one if there is none and replaces one that is too old. */
  readonly signing: () => Promise<{ readonly kid: string; readonly key: CryptoKey }>;
  /** Resolves with the public key of an id, or undefined when no valid token can carry that id. */
  readonly verifying: (kid: string) => Promise<CryptoKey | undefined>;
  readonly jwks: () => Promise<{ readonly keys: readonly JWK[] }>;
}

const makeKey = async (): Promise<SigningKeyRecord> => {
  const { publicKey, privateKey } = await generateKeyPair(builtInAlgorithm, { extractable: true });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const publicJwk = { ...jwk, kid, alg: builtInAlgorithm, use: 'sig' };
  return { kid, algorithm: builtInAlgorithm, publicJwk, privateJwk: { ...(await exportJWK(privateKey)) } };
};

/** Replaces the signing key only if it is still `seen`, so that concurrent rotations create one key. */
const replace = async (postgres: Postgres, seen: string | undefined, keepSeconds: number): Promise<boolean> =>
  replaceSigningKey(postgres, { seen, next: await makeKey(), keepSeconds });

/**
 * Rotates the signing key. Tokens of the old key stay valid until they expire, or become invalid at once with `endTokens`.
 * Resolves with false if another process rotated the key at the same time.
 */
export const rotateSigningKey = async (postgres: Postgres, { endTokens = false } = {}): Promise<boolean> => {
  const seen = (await readCurrentSigningKey(postgres))?.kid;
  return replace(postgres, seen, endTokens ? 0 : replacedKeySeconds);
};

const currentKey = async (postgres: Postgres) => {
  const current = await readCurrentSigningKey(postgres);
  if (current && current.ageSeconds < keyRotationSeconds) return current;
  await replace(postgres, current?.kid, replacedKeySeconds);
  const made = await readCurrentSigningKey(postgres);
  if (!made) throw new Error('there is no key to sign tokens with');
  return made;
};

const imported = async (jwk: Readonly<Record<string, unknown>>): Promise<CryptoKey> =>
  (await importJWK(jwk as JWK, builtInAlgorithm)) as CryptoKey;

const believedMs = keysBelievedSeconds * 1_000;
/** Maximum age of the published key set. */
const publishedMs = 1_000;

export const keyRing = (postgres: Postgres, watch: Pick<RevocationWatch, 'onChange'>): KeyRing => {
  const known = remembered(async () => {
    const stored = await readPublicSigningKeys(postgres);
    const keys = await Promise.all(stored.map(async ({ kid, publicJwk }) => [kid, await imported(publicJwk)] as const));
    return { byId: new Map(keys), jwks: { keys: stored.map(({ publicJwk }) => publicJwk as JWK) } };
  });
  const signing = remembered(async () => {
    const { kid, privateJwk } = await currentKey(postgres);
    return { kid, key: await imported(privateJwk) };
  });
  watch.onChange(() => {
    known.forget();
    signing.forget();
  });
  return {
    signing: () => signing.within(believedMs),
    async verifying(kid) {
      // Another process may have started to sign with a new key: its first tokens must not be rejected.
      return (await known.within(believedMs)).byId.get(kid) ?? (await known.fresh()).byId.get(kid);
    },
    async jwks() {
      const { kid } = await signing.within(believedMs);
      const published = await known.within(publishedMs);
      return (published.byId.has(kid) ? published : await known.fresh()).jwks;
    },
  };
};
