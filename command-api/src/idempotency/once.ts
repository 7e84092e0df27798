import { ApiError } from '@popsvc/contracts/errors';
import { jsonResponse, type JsonResponse, httpStatusOf } from '@popsvc/platform/http';
import {
  storeResponse,
  type RequestClaim,
  type ClaimedRequest,
  claimRequest,
  findRequest,
  deleteRequest,
  renewClaim,
  type Postgres,
  releaseClaim,
  claimTimeoutSeconds,
  withdrawClaim,
} from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';

const waitMs = 5_000;
const lookEveryMs = 100;
const replayed = { 'Idempotency-Replayed': 'true' };

export interface Work {
  /**
   * Does what is left to do and tells whether that was anything; `claimed` says where an earlier try stopped. Its answer is a good
   * one: what is not is thrown, and not kept.
   */
  readonly work: (
    claimed: ClaimedRequest,
  ) => Promise<{ readonly answer: JsonResponse; readonly didSomething: boolean }>;
  /** Aborted when the caller goes away: then nobody waits. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** The work failed before anything of it was begun. */
export class NothingBegun extends Error {
  override readonly name = 'NothingBegun';
}

/**
 * Does the work of a request once, however often it is told: later tellings get the first answer, those told while the first is
 * at work wait for it, and one whose first try died takes over where that stopped.
 */
export const once = async (
  postgres: Postgres,
  claim: RequestClaim,
  { work, signal, log }: Work,
): Promise<JsonResponse> => {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    const claimed = await claimRequest(postgres, claim);
    if (claimed) return doIt(postgres, claim, claimed, work, log);
    const answered = await answerOf(postgres, claim);
    if (answered) return answered;
    if (performance.now() >= giveUpAt)
      throw new ApiError('CONFLICT', 'The first request with this Idempotency-Key is still running.', {
        retryAfterSeconds: 1,
      });
    await pause(signal);
  }
};

/** The answer the request got before, if it is known; refuses another body under the same key. */
export const answerOf = async (postgres: Postgres, claim: RequestClaim): Promise<JsonResponse | undefined> => {
  const known = await findRequest(postgres, claim.name);
  if (known && !known.bodyHash.equals(claim.bodyHash))
    throw new ApiError('CONFLICT', 'This Idempotency-Key was used with another body.');
  return known?.status === undefined
    ? undefined
    : jsonResponse(known.status, JSON.parse(known.response ?? 'null'), replayed);
};

const doIt = async (
  postgres: Postgres,
  { name }: RequestClaim,
  claimed: ClaimedRequest,
  work: Work['work'],
  log: Log,
): Promise<JsonResponse> => {
  const { attempt } = claimed;
  const letGo = (how: Promise<void>) => how.catch((err: unknown) => log.warn({ err }, 'a claim could not be released'));
  const alive = setInterval(
    () => {
      void renewClaim(postgres, name, attempt).catch((err: unknown) => log.warn({ err }, 'a claim could not be kept'));
    },
    (claimTimeoutSeconds * 1_000) / 3,
  );
  try {
    const { answer, didSomething } = await work(claimed);
    // The work is durable: when only this note of it fails, a retry finds it in the log.
    await storeResponse(postgres, name, attempt, { status: answer.status, answer: JSON.stringify(answer.body) }).catch(
      (err: unknown) => log.warn({ err }, 'an answer could not be kept'),
    );
    return didSomething ? answer : { ...answer, headers: replayed };
  } catch (caught) {
    const error: unknown = caught instanceof NothingBegun ? caught.cause : caught;
    // What the only try was refused was not done, and may be mended under its key. Any other failure leaves that open.
    const undone = attempt === 1 && error instanceof ApiError && httpStatusOf[error.code] < 500;
    const release = caught instanceof NothingBegun ? withdrawClaim : releaseClaim;
    await letGo(undone ? deleteRequest(postgres, name) : release(postgres, name, attempt));
    throw error;
  } finally {
    clearInterval(alive);
  }
};

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) reject(new ApiError('CONFLICT', 'The caller left.'));
    else setTimeout(resolve, lookEveryMs);
  });
