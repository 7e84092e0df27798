import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionError, ServiceError, readServiceError } from './errors.ts';

/** Provides the current time, pauses and random numbers. Tests can replace it. */
export interface Clock {
  /** Returns the current time, ms since 1970. */
  readonly now: () => number;
  /** Waits. If the signal is aborted first, rejects with its reason. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a random number from 0 up to but not including 1. */
  readonly random: () => number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await sleep(ms, undefined, signal && { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
  random: () => Math.random(),
};

export type Fetch = typeof globalThis.fetch;
type Body = NonNullable<RequestInit['body']>;

/** A request that can be sent more than once. */
interface TransportRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  /** Creates the body. Called for every attempt, since a stream can be sent only once. */
  readonly body?: () => Body;
  readonly signal: AbortSignal;
  /** Whether to resolve when the response headers have arrived. The caller then reads the body. */
  readonly streamed?: boolean;
}

export interface TransportOptions {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Timeout of one attempt in ms. An attempt ends with the complete response or, if streamed, with the response headers. */
  readonly timeoutMs: number;
}

/**
 * Sends a request once. Resolves when the body of the response is complete or, with `streamed`, when its headers have arrived. Throws a
 * ServiceError for an error status, a ConnectionError without a complete response, or the abort reason.
 */
export const sendOnce = async (
  request: TransportRequest,
  { fetch, clock, timeoutMs }: TransportOptions,
): Promise<Response> => {
  const { url, method, headers, body, signal, streamed = false } = request;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
  const signalOrTimeout = AbortSignal.any([signal, timeout.signal]);
  try {
    signal.throwIfAborted();
    const response = await fetch(url, {
      method,
      headers,
      signal: signalOrTimeout,
      // On a redirect to another origin, fetch would still send the X-API-Key header.
      redirect: 'manual',
      ...(body && { body: body(), duplex: 'half' as const }),
    });
    if (response.ok && streamed) return response;
    const whole = await readWhole(response, signalOrTimeout);
    if (isRedirect(whole)) throw createRedirectError(url, whole);
    if (!response.ok) throw await readServiceError(whole, clock.now());
    return whole;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TypeError || error instanceof DOMException || timeout.signal.aborted)
      throw new ConnectionError(url, 'does not answer', timeout.signal.aborted ? timeout.signal.reason : error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

const isRedirect = ({ status, headers }: Response): boolean => status >= 300 && status < 400 && headers.has('location');

const createRedirectError = (url: string, { status, headers }: Response): ServiceError => {
  const [from, to] = [new URL(url).origin, new URL(headers.get('location')!, url).origin];
  const message = `${from} redirects to ${to}; set the address of the service to it`;
  return new ServiceError(status, { code: `HTTP_${status}`, details: [], message, requestId: undefined }, undefined);
};

/**
 * Reads the complete body. The stream gets the signal itself, because fetch stops observing the signal once the response has begun and the
 * request object has been garbage-collected.
 */
const readWhole = async ({ status, statusText, headers, body }: Response, signal: AbortSignal): Promise<Response> => {
  const bytes = body ? await buffer(Readable.fromWeb(body as ReadableStream<Uint8Array>, { signal })) : undefined;
  return new Response(bytes?.byteLength ? bytes : null, { status, statusText, headers });
};

export interface RetryOptions {
  readonly clock: Clock;
  /** How long after the start of the first attempt a retry may still start, in ms. */
  readonly retryTimeoutMs: number;
}

const retryableStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const firstPauseMs = 250;
const longestPauseMs = 15_000;

/**
 * Returns whether a retry can succeed. A 409 with `Retry-After` means that the service is still processing an earlier attempt at
 * the same request.
 */
const isRetryable = (error: unknown): boolean => {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ServiceError)) return false;
  return retryableStatuses.has(error.status) || (error.status === 409 && error.retryAfterMs !== undefined);
};

/**
 * Returns the pause before a retry. With `Retry-After`, the pause is up to 250 ms longer than requested. Without this header, the pause
 * doubles with every attempt, up to 15 s. Random jitter spreads the retries of many clients.
 */
const pauseMs = (error: unknown, attempts: number, { random }: Clock): number => {
  const backoff = Math.min(longestPauseMs, firstPauseMs * 2 ** attempts);
  const request = error instanceof ServiceError ? error.retryAfterMs : undefined;
  return request === undefined ? backoff * (0.5 + random() / 2) : request + firstPauseMs * random();
};

/**
 * Repeats an idempotent operation after retryable errors. Throws other errors at once, and the last error when no time is left for a retry.
 */
export const retry = async <T>(
  attempt: () => Promise<T>,
  { clock, retryTimeoutMs }: RetryOptions,
  signal: AbortSignal,
): Promise<T> => {
  const until = clock.now() + retryTimeoutMs;
  for (let attempts = 0; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      const pause = pauseMs(error, attempts, clock);
      if (clock.now() + pause > until) throw error;
      await clock.sleep(pause, signal);
    }
  }
};

export interface Credential {
  /** Resolves with the headers that authenticate a request, after requesting a token if one is needed. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Reports that the service rejected these headers. Returns whether a retry with new headers can succeed. */
  refused(headers: Readonly<Record<string, string>>): boolean;
}

export interface TransportDependencies extends TransportOptions, RetryOptions {
  /** The credential of the requests; undefined for requests that need none, such as those to signed URLs. */
  readonly credential?: Credential;
}

/** Sends a request and retries it, so the request must be idempotent. Throws the errors of `sendOnce`, and those of the credential. */
export type Transport = (request: TransportRequest) => Promise<Response>;

export const createTransport =
  ({ credential, ...dependencies }: TransportDependencies): Transport =>
  (request) =>
    retry(
      () => (credential ? sendWithCredential(request, credential, dependencies) : sendOnce(request, dependencies)),
      dependencies,
      request.signal,
    );

/**
 * If the service rejects the token of a request, sends the request once more with a new token, since a token may be revoked before it
 * expires.
 */
const sendWithCredential = async (
  request: TransportRequest,
  credential: Credential,
  dependencies: TransportOptions,
): Promise<Response> => {
  const credentialHeaders = await credential.headers(request.signal);
  try {
    return await sendOnce(withHeaders(request, credentialHeaders), dependencies);
  } catch (error) {
    if (!isCredentialRejected(error) || !credential.refused(credentialHeaders)) throw error;
    return sendOnce(withHeaders(request, await credential.headers(request.signal)), dependencies);
  }
};

/**
 * Returns whether an error means that the credential is invalid. A 401 response with `details` means that the credential has no
 * access to a network or site; a new token would not help.
 */
const isCredentialRejected = (error: unknown): boolean =>
  error instanceof ServiceError && error.status === 401 && error.details.length === 0;

const withHeaders = (
  request: TransportRequest,
  credentialHeaders: Readonly<Record<string, string>>,
): TransportRequest => {
  const headers = new Headers(request.headers);
  for (const [name, value] of Object.entries(credentialHeaders)) headers.set(name, value);
  return { ...request, headers };
};
