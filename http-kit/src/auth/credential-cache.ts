import { ApiError } from '@popsvc/contracts/errors';
import { LRUCache } from 'lru-cache';
import { isPostgresUnavailable } from '@popsvc/platform/postgres';
import { ExpiredCredential } from './access.ts';
import type { RevocationWatch } from './revocation-watch.ts';

export interface VerifiedCredential<P> {
  readonly principal: P;
  /** Ms since 1970; undefined if the credential never expires. */
  readonly expiresAtMs?: number | undefined;
}

/**
 * Undefined: the credential is invalid, which is cached. `unknown`: no known signing key matches, which is not cached because the key may
 * be published later.
 */
export type CredentialLookup<P> = VerifiedCredential<P> | 'unknown' | undefined;

interface Entry<P> {
  readonly verified: VerifiedCredential<P> | undefined;
  /** Time of the look-up on the monotonic clock, in ms. */
  readonly at: number;
}

const refreshAfterMs = 30_000;
const maxAgeMs = 60_000;
const maxEntries = 10_000;

/** Caches results by the hash of the credential, so credentials verified in the last minute work while PostgreSQL is unavailable. */
export class CredentialCache<P> {
  readonly #valid = new LRUCache<string, Entry<P>>({ max: maxEntries });
  readonly #invalid = new LRUCache<string, Entry<P>>({ max: maxEntries });
  readonly #pending = new Map<string, Promise<VerifiedCredential<P> | undefined>>();
  readonly #watch: RevocationWatch;

  constructor(watch: RevocationWatch) {
    this.#watch = watch;
    watch.onChange(() => {
      this.#valid.clear();
      this.#invalid.clear();
      this.#pending.clear();
    });
  }

  /**
   * Resolves with undefined for an invalid credential. Throws ExpiredCredential for an expired one, UNAVAILABLE if PostgreSQL is needed and
   * does not answer, and other errors of `lookUp`.
   */
  async principal(hash: string, lookUp: () => Promise<CredentialLookup<P>>): Promise<P | undefined> {
    const entry = this.#valid.get(hash) ?? this.#invalid.get(hash);
    const age = entry ? performance.now() - entry.at : Infinity;
    if (entry && age < maxAgeMs) {
      if (age > refreshAfterMs) this.#refresh(hash, lookUp).catch(() => undefined);
      return unexpired(entry.verified);
    }
    return unexpired(await this.#refresh(hash, lookUp));
  }

  #refresh(hash: string, lookUp: () => Promise<CredentialLookup<P>>): Promise<VerifiedCredential<P> | undefined> {
    const before = this.#pending.get(hash);
    if (before) return before;
    const lookUpRun = this.#lookUp(hash, lookUp).finally(() => {
      if (this.#pending.get(hash) === lookUpRun) this.#pending.delete(hash);
    });
    this.#pending.set(hash, lookUpRun);
    return lookUpRun;
  }

  async #lookUp(hash: string, lookUp: () => Promise<CredentialLookup<P>>): Promise<VerifiedCredential<P> | undefined> {
    const [epoch, at] = [this.#watch.epoch(), performance.now()];
    try {
      const result = await lookUp();
      const verified = result === 'unknown' ? undefined : result;
      // If a credential changed during the look-up, the result may be outdated.
      if (epoch === this.#watch.epoch()) {
        (verified ? this.#invalid : this.#valid).delete(hash);
        if (result !== 'unknown') (verified ? this.#valid : this.#invalid).set(hash, { verified, at });
      }
      return verified;
    } catch (cause) {
      if (isPostgresUnavailable(cause))
        throw new ApiError(
          'UNAVAILABLE',
          'Credentials cannot be verified because a store is unavailable. Retry later.',
          { cause },
        );
      throw cause;
    }
  }
}

const unexpired = <P>(verified: VerifiedCredential<P> | undefined): P | undefined => {
  if (verified?.expiresAtMs !== undefined && verified.expiresAtMs <= Date.now()) throw new ExpiredCredential();
  return verified?.principal;
};
