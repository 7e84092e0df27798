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

export const ValidResponse = z.object({ message: responseMessage }).meta({ id: 'Valid' });

/**
 * Throws INVALID_REQUEST for an empty key or one above 255 bytes. Node.js decodes header values as Latin-1, so each character is a byte.
 */
export const readIdempotencyKey = (request: RouteRequest): string | undefined =>
  parseBody(idempotencySchemas.headers, { [keyHeader]: request.header(keyHeader) })[keyHeader];

/** Throws INVALID_PARAM for any other parameter: a misspelled `validate_only` must not store the events. */
export const readValidateOnly = (query: FormFields): boolean =>
  parseQuery(idempotencySchemas.query, query).validate_only;

const pollIntervalMs = 100;
const replayedHeader = { 'Idempotency-Replayed': 'true' };

export interface ExecutedRequest {
  readonly response: JsonResponse;
  /** Whether earlier attempts had completed the request. */
  readonly isReplay: boolean;
}

interface KeyedWork {
  /** Resolves with a 2xx response, which is stored for retries. Failures must be thrown; they are not stored. */
  readonly execute: (claimed: ClaimedRequest) => Promise<ExecutedRequest>;
  /** Ends the wait for an attempt that is still running. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly timeouts: Pick<IntakeTimeouts, 'earlierAttemptMs'>;
}

/** The request failed before its first side effect. `cause` is the error for the caller. */
export class WorkNotStarted extends Error {
  override readonly name = 'WorkNotStarted';
}

/**
 * A retry gets the stored response, waits for an attempt that is running, or continues one that failed. Throws CONFLICT if the key was used
 * with another body, if the other attempt still runs after `earlierAttemptMs`, or if the caller disconnects.
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

/** Throws CONFLICT if the key was used with another body. */
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
    // The events are durable. If the response cannot be stored, a retry does the work again with the same event ids.
    await storeResponse(postgres, name, attempt, {
      status: response.status,
      response: JSON.stringify(response.body),
    }).catch((err: unknown) => log.warn({ err }, 'failed to store response for idempotent retries'));
    return { response: isReplay ? { ...response, headers: replayedHeader } : response, isReplay };
  } catch (caught) {
    const error: unknown = caught instanceof WorkNotStarted ? caught.cause : caught;
    // A 4xx of the first attempt stored nothing, so its key may be used with another body. Other failures may have stored events.
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

interface RequestAttempt {
  readonly isValidateOnly: boolean;
  /** First attempt, in ms since 1970. */
  readonly receivedAtMs: number;
  /** All attempts with the same Idempotency-Key have the same identity, so their event ids are equal. Random without a key. */
  readonly identity: Buffer;
}

/** Resolves with a 2xx response or throws. Retries receive the response without its headers. */
export type ExecuteRequest = (request: RouteRequest, attempt: RequestAttempt) => Promise<JsonResponse>;

interface IdempotencyDependencies {
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly timeouts: Pick<IntakeTimeouts, 'earlierAttemptMs'>;
}

/** For POST routes with `Idempotency-Key` and `validate_only` that do not append to intake streams. */
export const createIdempotentHandler =
  ({ postgres, clock, timeouts }: IdempotencyDependencies, path: string, execute: ExecuteRequest) =>
  async (request: RouteRequest): Promise<JsonResponse> => {
    const isValidateOnly = readValidateOnly(request.query);
    const key = readIdempotencyKey(request);
    const receivedAtMs = clock.now();
    try {
      if (isValidateOnly || key === undefined)
        return await execute(request, { isValidateOnly, receivedAtMs, identity: randomBytes(16) });
      // These routes accept only API keys.
      const { keyId: credential } = request.principal as ApiKeyPrincipal;
      const bodyHash = hash('sha256', request.bodyBytes, 'buffer');
      const claim = { name: { credential, route: path, key }, bodyHash, receivedAtMs };
      const { response } = await executeOnce(postgres, claim, {
        signal: request.signal,
        log: request.log,
        timeouts,
        async execute({ receivedAtMs: firstReceivedAtMs }) {
          // A key can be used again after 24 h. The time of the first attempt gives that request another identity.
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
