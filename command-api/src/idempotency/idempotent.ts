import { hash, randomBytes } from 'node:crypto';
import type { ApiKeyPrincipal } from '@popsvc/platform/auth';
import type { RouteRequest, JsonResponse } from '@popsvc/platform/http';
import type { Postgres } from '@popsvc/platform/postgres';
import type { Clock } from '@popsvc/platform/runtime';
import { requestIdentity } from '../intake/event-ids.ts';
import { onlyValidates } from '../intake/intake-query.ts';
import { unavailable } from '../intake/unavailable.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { once } from './once.ts';

/** One try at a request that may be told again. */
export interface Try {
  /** The caller asks only whether the request would be accepted (`?validate_only=true`): answer 200 and do nothing. */
  readonly onlyAsks: boolean;
  /** When the request was first received, ms since 1970. */
  readonly receivedAtMs: number;
  /**
   * 16 bytes to make ids of, with `eventIds` for one. A try that takes over from one that died gets those of the first: what it
   * finds done under these ids is its own. Requests without an Idempotency-Key have each their own.
   */
  readonly identity: Buffer;
}

/** Answers with a 2xx, of which the headers are not kept, or throws. */
export type TryRequest = (asked: RouteRequest, attempt: Try) => Promise<JsonResponse>;

export interface IdempotentParts {
  readonly postgres: Postgres;
  readonly clock: Clock;
}

/**
 * What a POST under `/popsvc/v1` does, told again or only asked about: reads `Idempotency-Key` and `validate_only`, does a keyed
 * request once in 24 h and repeats its answer. For requests whose events go to the streams of intake there is `takeIn`.
 */
export const idempotent =
  ({ postgres, clock }: IdempotentParts, path: string, work: TryRequest) =>
  async (asked: RouteRequest): Promise<JsonResponse> => {
    const onlyAsks = onlyValidates(asked.query);
    const key = idempotencyKeyOf(asked);
    const receivedAtMs = clock.now();
    try {
      if (onlyAsks || key === undefined)
        return await work(asked, { onlyAsks, receivedAtMs, identity: randomBytes(16) });
      // The routes let nobody else in.
      const { keyId: credential } = asked.principal as ApiKeyPrincipal;
      const bodyHash = hash('sha256', asked.bodyBytes, 'buffer');
      const claim = { name: { credential, route: path, key }, bodyHash, receivedAtMs };
      return await once(postgres, claim, {
        signal: asked.signal,
        log: asked.log,
        async work({ receivedAtMs: first }) {
          // The instant tells this request from one that had the same key and body more than 24 h ago.
          const identity = requestIdentity(credential, path, `${first} ${key}`, bodyHash);
          return { answer: await work(asked, { onlyAsks, receivedAtMs: first, identity }), didSomething: true };
        },
      });
    } catch (error) {
      throw unavailable(error);
    }
  };
