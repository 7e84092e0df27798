import { ApiError } from '@popsvc/contracts/errors';
import { LRUCache } from 'lru-cache';
import { isPostgresUnavailable } from '../postgres/index.ts';
import type { RevocationWatch } from './revocation-watch.ts';

/** A credential that was found to be good. */
export interface VerifiedCredential<P> {
  readonly principal: P;
  /** Ms since 1970; undefined: never. */
  readonly expiresAtMs?: number | undefined;
}

/** Undefined: not good, and it will not become so. `unknown`: not good as far as is known just now, which is not remembered. */
export type CredentialLookup<P> = VerifiedCredential<P> | 'unknown' | undefined;

interface Entry<P> {
  /** Undefined: this credential is not good, and will not become so. */
  readonly verified: VerifiedCredential<P> | undefined;
  /** Monotonic ms. */
  readonly at: number;
}

/** After this a remembered credential is looked up again while it is still in use; after the second it is not used any more. */
const refreshAfterMs = 30_000;
const goodForMs = 60_000;
const remembered = 10_000;

/**
 * Remembers which credentials were verified, by their hash. While the records are away, what was verified in the last 60 s goes
 * on; then asking is a 503. A revocation empties it.
 */
export class CredentialCache<P> {
  readonly #good = new LRUCache<string, Entry<P>>({ max: remembered });
  readonly #bad = new LRUCache<string, Entry<P>>({ max: remembered });
  readonly #asking = new Map<string, Promise<VerifiedCredential<P> | undefined>>();
  readonly #watch: RevocationWatch;

  constructor(watch: RevocationWatch) {
    this.#watch = watch;
    watch.onChange(() => {
      this.#good.clear();
      this.#bad.clear();
      this.#asking.clear();
    });
  }

  /** The principal, or undefined when the credential is not good. `look` asks the records. */
  async principal(hash: string, look: () => Promise<CredentialLookup<P>>): Promise<P | undefined> {
    const entry = this.#good.get(hash) ?? this.#bad.get(hash);
    const age = entry ? performance.now() - entry.at : Infinity;
    if (entry && age < goodForMs) {
      if (age > refreshAfterMs) this.#ask(hash, look).catch(() => undefined);
      return unexpired(entry.verified);
    }
    return unexpired(await this.#ask(hash, look));
  }

  #ask(hash: string, look: () => Promise<CredentialLookup<P>>): Promise<VerifiedCredential<P> | undefined> {
    const before = this.#asking.get(hash);
    if (before) return before;
    const asking = this.#looked(hash, look).finally(() => {
      if (this.#asking.get(hash) === asking) this.#asking.delete(hash);
    });
    this.#asking.set(hash, asking);
    return asking;
  }

  async #looked(hash: string, look: () => Promise<CredentialLookup<P>>): Promise<VerifiedCredential<P> | undefined> {
    const [epoch, at] = [this.#watch.epoch(), performance.now()];
    try {
      const looked = await look();
      const verified = looked === 'unknown' ? undefined : looked;
      // An answer from before a revocation may be of a credential that is revoked by now.
      if (epoch === this.#watch.epoch()) {
        (verified ? this.#bad : this.#good).delete(hash);
        if (looked !== 'unknown') (verified ? this.#good : this.#bad).set(hash, { verified, at });
      }
      return verified;
    } catch (cause) {
      if (isPostgresUnavailable(cause))
        throw new ApiError('UNAVAILABLE', 'Credentials cannot be checked now.', { cause });
      throw cause;
    }
  }
}

const unexpired = <P>(verified: VerifiedCredential<P> | undefined): P | undefined =>
  verified && (verified.expiresAtMs === undefined || verified.expiresAtMs > Date.now())
    ? verified.principal
    : undefined;
