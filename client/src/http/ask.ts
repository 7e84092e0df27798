import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import type { Clock } from './clock.ts';
import { ConnectionError } from './connection-error.ts';
import { serviceErrorOf } from './service-error.ts';

export type Fetch = typeof globalThis.fetch;
type Body = NonNullable<RequestInit['body']>;

/** A request that can be sent more than once. */
export interface Asked {
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
