import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionError, ServiceError, serviceErrorOf } from './errors.ts';

/** What waiting depends on; a test gives its own. */
export interface Clock {
  /** ms since 1970. */
  readonly now: () => number;
  /** Rejects with the reason of the signal when that fires first. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 up to, not including, 1. */
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
interface Asked {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  /** Made anew for every try. */
  readonly body?: () => Body;
  readonly signal: AbortSignal;
  /** Whether the body of the answer is left to the caller, who reads it as it comes. */
  readonly streamed?: boolean;
}

export interface AskParts {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** How long one try may take: the whole answer; of a stream, until it begins. */
  readonly timeoutMs: number;
}

/** One try. Resolves with an answer that says yes, whole unless streamed; else throws ServiceError, ConnectionError, or why it was aborted. */
export const ask = async (asked: Asked, { fetch, clock, timeoutMs }: AskParts): Promise<Response> => {
  const { url, method, headers, body, signal, streamed = false } = asked;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`nothing within ${timeoutMs} ms`)), timeoutMs);
  const either = AbortSignal.any([signal, late.signal]);
  try {
    signal.throwIfAborted();
    const answer = await fetch(url, {
      method,
      headers,
      signal: either,
      // A credential in a header of our own would follow to wherever a redirect leads.
      redirect: 'error',
      ...(body && { body: body(), duplex: 'half' as const }),
    });
    if (answer.ok && streamed) return answer;
    const whole = await wholeOf(answer, either);
    if (!answer.ok) throw await serviceErrorOf(whole, clock.now());
    return whole;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TypeError || error instanceof DOMException || late.signal.aborted)
      throw new ConnectionError(url, 'does not answer', late.signal.aborted ? late.signal.reason : error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

/**
 * The same answer with all of its body here. The signal is heard here: fetch no longer hears it once the answer has begun and what
 * it held for that is collected.
 */
const wholeOf = async ({ status, statusText, headers, body }: Response, signal: AbortSignal): Promise<Response> => {
  const bytes = body ? await buffer(Readable.fromWeb(body as ReadableStream<Uint8Array>, { signal })) : undefined;
  return new Response(bytes?.byteLength ? bytes : null, { status, statusText, headers });
};

export interface Patience {
  readonly clock: Clock;
  /** How long after the first try another one may begin. */
  readonly patienceMs: number;
}

const passing: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const firstPauseMs = 250;
const longestPauseMs = 15_000;

/** Whether the same request may be answered otherwise later. 409 with `Retry-After`: the same request is still at work there. */
const mayPass = (error: unknown): boolean => {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ServiceError)) return false;
  return passing.has(error.status) || (error.status === 409 && error.retryAfterMs !== undefined);
};

/** Doubles with every try. What the service asks for is the least. Chance is added, so that many do not come back together. */
const pauseMs = (error: unknown, tries: number, { random }: Clock): number => {
  const own = Math.min(longestPauseMs, firstPauseMs * 2 ** tries);
  const asked = error instanceof ServiceError ? error.retryAfterMs : undefined;
  return asked === undefined ? own * (0.5 + random() / 2) : asked + firstPauseMs * random();
};

/** Tries again for as long as patience lasts; then throws what the last try threw. Only for what may be told twice. */
export const insist = async <T>(
  attempt: () => Promise<T>,
  { clock, patienceMs }: Patience,
  signal: AbortSignal,
): Promise<T> => {
  const until = clock.now() + patienceMs;
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayPass(error)) throw error;
      const pause = pauseMs(error, tries, clock);
      if (clock.now() + pause > until) throw error;
      await clock.sleep(pause, signal);
    }
  }
};

/** Proof of who asks. */
export interface Credential {
  /** To send with a request. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Told of headers that were answered with 401; whether asking again with new ones makes sense. */
  refused(headers: Readonly<Record<string, string>>): boolean;
}

export interface TransportParts extends AskParts, Patience {
  /** None: what is asked carries its own proof, such as a signed address. */
  readonly credential?: Credential;
}

/** Sends what may be told twice until it is answered, as whoever the credential proves. */
export type Transport = (asked: Asked) => Promise<Response>;

export const transport =
  ({ credential, ...parts }: TransportParts): Transport =>
  (asked) =>
    insist(() => (credential ? askProven(asked, credential, parts) : ask(asked, parts)), parts, asked.signal);

/** A credential that is refused is replaced once: it may have been revoked or rotated before its time. */
const askProven = async (asked: Asked, credential: Credential, parts: AskParts): Promise<Response> => {
  const proof = await credential.headers(asked.signal);
  try {
    return await ask(proven(asked, proof), parts);
  } catch (error) {
    if (!isOfProof(error) || !credential.refused(proof)) throw error;
    return ask(proven(asked, await credential.headers(asked.signal)), parts);
  }
};

/** A network or site that is not the caller's is a 401, too, and named in its details: a new token would not help. */
const isOfProof = (error: unknown): boolean =>
  error instanceof ServiceError && error.status === 401 && error.details.length === 0;

const proven = (asked: Asked, proof: Readonly<Record<string, string>>): Asked => {
  const headers = new Headers(asked.headers);
  for (const [name, value] of Object.entries(proof)) headers.set(name, value);
  return { ...asked, headers };
};
