import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import {
  readCurrentSigningKey,
  readPublicSigningKeys,
  type Postgres,
  replaceSigningKey,
  type SigningKeyRecord,
} from '../../postgres/index.ts';
import type { RevocationWatch } from '../revocation-watch.ts';
import { keyRotationSeconds, keysBelievedSeconds, replacedKeySeconds } from './lifetimes.ts';
import { remembered } from './remembered.ts';
import { builtInAlgorithm } from './token-form.ts';

/** The built-in provider's keys, shared by all processes through PostgreSQL. */
export interface KeyRing {
  /** The key to sign with; made when there is none, replaced when it is old. */
  readonly signing: () => Promise<{ readonly kid: string; readonly key: CryptoKey }>;
  /** Undefined: no token in use was signed with a key of this id. */
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

/** Only if the key that signs is still the one that was seen. */
const replace = async (postgres: Postgres, seen: string | undefined, keepSeconds: number): Promise<boolean> =>
  replaceSigningKey(postgres, { seen, next: await makeKey(), keepSeconds });

/**
 * Signs with a new key from now on; tokens of the old one are good until they expire, or with `endTokens` no longer. False: another
 * process did so at the same moment.
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
/** Of the published set. */
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
      // A key this process has not seen may sign since a moment ago: its first tokens are not to be refused.
      return (await known.within(believedMs)).byId.get(kid) ?? (await known.fresh()).byId.get(kid);
    },
    async jwks() {
      const { kid } = await signing.within(believedMs);
      const published = await known.within(publishedMs);
      return (published.byId.has(kid) ? published : await known.fresh()).jwks;
    },
  };
};
