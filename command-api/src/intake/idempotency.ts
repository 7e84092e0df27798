import { hash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@popsvc/contracts/errors';
import { responseMessage } from '@popsvc/contracts/responses';
import type { ApiKeyPrincipal } from '@popsvc/http-kit/auth';
import {
  type FormFields,
  httpStatusOf,
  jsonResponse,
  type JsonResponse,
  parseBody,
  parseQuery,
  type RouteRequest,
  switchParameter,
} from '@popsvc/http-kit/server';
import {
  type ClaimedRequest,
  claimRequest,
  claimTimeoutSeconds,
  deleteRequest,
  findRequest,
  type Postgres,
  releaseClaim,
  renewClaim,
  type RequestClaim,
  storeResponse,
  withdrawClaim,
} from '@popsvc/platform/postgres';
import type { Clock } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import { z } from 'zod';
import { toCallerError } from './errors.ts';
import { deriveRequestIdentity } from './request-events.ts';
import type { IntakeTimeouts } from './timeouts.ts';

const keyHeader = 'Idempotency-Key';

/** The query and the headers of the POST routes that this service handles itself. */
export const idempotencySchemas = {
  query: z.strictObject({
    validate_only: switchParameter.describe(
      '`true`: only check whether the request would be accepted, and respond with 200; nothing is stored.',
    ),
  }),
  headers: z.object({
    [keyHeader]: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe(
        'Makes the request safe to repeat for 24 h: the same key with the same body stores nothing again and gets the same ' +
          'response; the same key with another body is rejected with 409.',
      ),
  }),
  responseHeaders: ['Idempotency-Replayed'],
} as const;

/** The response to a valid request with `validate_only=true`; routes may extend it. */
export const ValidResponse = z.object({ message: responseMessage }).meta({ id: 'Valid' });

/**
 * Reads the Idempotency-Key header; undefined if the request has none. Throws INVALID_REQUEST if its length is not allowed. Node.js
 * decodes header values as Latin-1, so the length in characters equals the length in bytes.
 */
export const readIdempotencyKey = (request: RouteRequest): string | undefined =>
  parseBody(idempotencySchemas.headers, { [keyHeader]: request.header(keyHeader) })[keyHeader];

/**
 * Returns whether the request has `validate_only=true`. Throws INVALID_PARAM for any other parameter, because a misspelled
 * `validate_only` would otherwise store the events.
 */
export const readValidateOnly = (query: FormFields): boolean =>
  parseQuery(idempotencySchemas.query, query).validate_only;

const pollIntervalMs = 100;
const replayedHeader = { 'Idempotency-Replayed': 'true' };

export interface ExecutedRequest {
  readonly response: JsonResponse;
  /** Whether earlier attempts had already completed the request, so that this attempt only repeats their response. */
  readonly isReplay: boolean;
}

interface KeyedWork {
  /**
   * Does the work that earlier attempts did not finish. `claimed` contains the times of the first and the previous attempt. Resolves
   * with a 2xx response, which is stored for retries. Failures are thrown and not stored.
   */
  readonly execute: (claimed: ClaimedRequest) => Promise<ExecutedRequest>;
  /** Aborted if the caller disconnects. This ends the wait for an attempt that is still running. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly timeouts: Pick<IntakeTimeouts, 'earlierAttemptMs'>;
}

/** Thrown if a request failed before its first side effect. `cause` is the error for the caller. */
export class WorkNotStarted extends Error {
  override readonly name = 'WorkNotStarted';
}

/**
 * Executes a request with an Idempotency-Key. Once an attempt has succeeded, retries receive its stored response. A retry that arrives
 * while an earlier attempt is running waits for it, and throws CONFLICT after `earlierAttemptMs`. If an earlier attempt failed or its
 * process died, a retry continues the work.
 */
export const executeOnce = async (
  postgres: Postgres,
  claim: RequestClaim,
  { execute, signal, log, timeouts }: KeyedWork,
): Promise<ExecutedRequest> => {
  const giveUpAt = performance.now() + timeouts.earlierAttemptMs;
  for (;;) {
    const claimed = await claimRequest(postgres, claim);
    if (claimed) return executeClaimed(postgres, claim, claimed, execute, log);
    const stored = await findStoredResponse(postgres, claim);
    if (stored) return { response: stored, isReplay: true };
    if (performance.now() >= giveUpAt)
      throw new ApiError('CONFLICT', 'The first request with this Idempotency-Key is still running.', {
        retryAfterSeconds: 1,
      });
    await waitForNextPoll(signal);
  }
};

/**
 * Finds the response that an earlier attempt stored; undefined if there is none. Throws CONFLICT if the key was used with a
 * different body.
 */
export const findStoredResponse = async (
  postgres: Postgres,
  claim: RequestClaim,
): Promise<JsonResponse | undefined> => {
  const known = await findRequest(postgres, claim.name);
  if (known && !known.bodyHash.equals(claim.bodyHash))
    throw new ApiError('CONFLICT', 'This Idempotency-Key was used with another body; send the request with a new key.');
  return known?.status === undefined
    ? undefined
    : jsonResponse(known.status, JSON.parse(known.response ?? 'null'), replayedHeader);
};

const executeClaimed = async (
  postgres: Postgres,
  { name }: RequestClaim,
  claimed: ClaimedRequest,
  execute: KeyedWork['execute'],
  log: Log,
): Promise<ExecutedRequest> => {
  const { attempt } = claimed;
  const renewal = setInterval(
    () => {
      void renewClaim(postgres, name, attempt).catch((err: unknown) =>
        log.warn({ err }, 'failed to renew idempotency claim'),
      );
    },
    (claimTimeoutSeconds * 1_000) / 3,
  );
  try {
    const { response, isReplay } = await execute(claimed);
    // The events are already durable. If storing the response fails, a retry does the work again with the same event ids.
    await storeResponse(postgres, name, attempt, {
      status: response.status,
      response: JSON.stringify(response.body),
    }).catch((err: unknown) => log.warn({ err }, 'failed to store response for idempotent retries'));
    return { response: isReplay ? { ...response, headers: replayedHeader } : response, isReplay };
  } catch (caught) {
    const error: unknown = caught instanceof WorkNotStarted ? caught.cause : caught;
    // If a first attempt ends with a 4xx, nothing is stored, so the caller may use the key again with a corrected body. After any other
    // failure, events may be stored, so the key stays bound to the body.
    const storedNothing = attempt === 1 && error instanceof ApiError && httpStatusOf[error.code] < 500;
    const release = caught instanceof WorkNotStarted ? withdrawClaim : releaseClaim;
    await (storedNothing ? deleteRequest(postgres, name) : release(postgres, name, attempt)).catch((err: unknown) =>
      log.warn({ err }, 'failed to release idempotency claim'),
    );
    throw error;
  } finally {
    clearInterval(renewal);
  }
};

const waitForNextPoll = (signal: AbortSignal): Promise<void> =>
  sleep(pollIntervalMs, undefined, { signal }).catch(() => {
    throw new ApiError('CONFLICT', 'The caller disconnected.');
  });

/** One attempt at a request that the caller may retry. */
interface RequestAttempt {
  /** If true, the attempt validates the request and responds with 200, but stores nothing. */
  readonly isValidateOnly: boolean;
  /** When the first attempt was received, ms since 1970. */
  readonly receivedAtMs: number;
  /**
   * 16 bytes from which `deriveEventIds` computes event ids. All attempts at a request with an Idempotency-Key have the same bytes and can
   * therefore recognize events that an earlier attempt stored. Without a key, the bytes are random.
   */
  readonly identity: Buffer;
}

/**
 * Executes an attempt. Resolves with a 2xx response or throws. Only the status and the body of the response are stored, so retries
 * receive it without its headers.
 */
export type ExecuteRequest = (request: RouteRequest, attempt: RequestAttempt) => Promise<JsonResponse>;

interface IdempotencyDependencies {
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly timeouts: Pick<IntakeTimeouts, 'earlierAttemptMs'>;
}

/**
 * Creates the handler for a POST route that accepts `Idempotency-Key` and `validate_only`. After a request with a key has succeeded, its
 * retries receive the same response for 24 h. Routes that append to intake streams use `createIntakeRoute` instead.
 */
export const createIdempotentHandler =
  ({ postgres, clock, timeouts }: IdempotencyDependencies, path: string, execute: ExecuteRequest) =>
  async (request: RouteRequest): Promise<JsonResponse> => {
    const isValidateOnly = readValidateOnly(request.query);
    const key = readIdempotencyKey(request);
    const receivedAtMs = clock.now();
    try {
      if (isValidateOnly || key === undefined)
        return await execute(request, { isValidateOnly, receivedAtMs, identity: randomBytes(16) });
      // The routes that use this handler accept API keys only, so the principal is an API key.
      const { keyId: credential } = request.principal as ApiKeyPrincipal;
      const bodyHash = hash('sha256', request.bodyBytes, 'buffer');
      const claim = { name: { credential, route: path, key }, bodyHash, receivedAtMs };
      const { response } = await executeOnce(postgres, claim, {
        signal: request.signal,
        log: request.log,
        timeouts,
        async execute({ receivedAtMs: firstReceivedAtMs }) {
          // A key expires after 24 h and can then be used again. The time of the first attempt gives a later request with the same key
          // and body another identity.
          const identity = deriveRequestIdentity(credential, path, `${firstReceivedAtMs} ${key}`, bodyHash);
          const attempt = { isValidateOnly, receivedAtMs: firstReceivedAtMs, identity };
          return { response: await execute(request, attempt), isReplay: false };
        },
      });
      return response;
    } catch (error) {
      throw toCallerError(error);
    }
  };
