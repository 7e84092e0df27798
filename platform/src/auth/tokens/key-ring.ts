import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import {
  currentSigningKey,
  publicSigningKeys,
  type Records,
  replaceSigningKey,
  type SigningKeyRecord,
} from '../../records/index.ts';
import { keyRotationSeconds, keysBelievedSeconds, replacedKeySeconds } from './lifetimes.ts';
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

/** Signs with a new key from now on; tokens of the old one are good until they expire. */
export const rotateSigningKey = async (records: Records): Promise<void> => {
  const seen = (await currentSigningKey(records))?.kid;
  await replaceSigningKey(records, { seen, next: await makeKey(), keepSeconds: replacedKeySeconds });
};

const currentKey = async (records: Records) => {
  const current = await currentSigningKey(records);
  if (current && current.ageSeconds < keyRotationSeconds) return current;
  await rotateSigningKey(records);
  const made = await currentSigningKey(records);
  if (!made) throw new Error('there is no key to sign tokens with');
  return made;
};

const imported = async (jwk: Readonly<Record<string, unknown>>): Promise<CryptoKey> =>
  (await importJWK(jwk as JWK, builtInAlgorithm)) as CryptoKey;

/** An unknown key id makes us look again, but not more often than this. */
const lookAgainMs = 1_000;

export const keyRing = (records: Records): KeyRing => {
  const signing = remembered(async () => {
    const { kid, privateJwk } = await currentKey(records);
    return { kid, key: await imported(privateJwk) };
  });
  const known = remembered(async () => {
    const stored = await publicSigningKeys(records);
    const keys = await Promise.all(stored.map(async ({ kid, publicJwk }) => [kid, await imported(publicJwk)] as const));
    return { byId: new Map(keys), jwks: { keys: stored.map(({ publicJwk }) => publicJwk as JWK) } };
  });
  return {
    signing: () => signing(keysBelievedSeconds * 1000),
    async verifying(kid) {
      const key = (await known(keysBelievedSeconds * 1000)).byId.get(kid);
      return key ?? (await known(lookAgainMs)).byId.get(kid);
    },
    async jwks() {
      await signing(keysBelievedSeconds * 1000);
      return (await known(lookAgainMs)).jwks;
    },
  };
};

/** Asks again when the answer is older than wanted; those who ask at the same time share one question. */
const remembered = <T>(ask: () => Promise<T>): ((maxAgeMs: number) => Promise<T>) => {
  let [answer, at]: [Promise<T> | undefined, number] = [undefined, 0];
  return (maxAgeMs) => {
    if (answer && performance.now() - at < maxAgeMs) return answer;
    const asking = ask();
    [answer, at] = [asking, performance.now()];
    asking.catch(() => {
      if (answer === asking) answer = undefined;
    });
    return asking;
  };
};
