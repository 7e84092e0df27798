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
  try {
    signal.throwIfAborted();
    const answer = await fetch(url, {
      method,
      headers,
      signal: AbortSignal.any([signal, late.signal]),
      // A credential in a header of our own would follow to wherever a redirect leads.
      redirect: 'error',
      ...(body && { body: body(), duplex: 'half' as const }),
    });
    if (!answer.ok) throw await serviceErrorOf(answer, clock.now());
    return streamed ? answer : await wholeOf(answer);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TypeError || error instanceof DOMException || late.signal.aborted)
      throw new ConnectionError(url, 'does not answer', late.signal.aborted ? late.signal.reason : error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

/** The same answer with all of its body here. */
const wholeOf = async (answer: Response): Promise<Response> => {
  const { status, statusText, headers } = answer;
  const bytes = await answer.arrayBuffer();
  return new Response(bytes.byteLength === 0 ? null : bytes, { status, statusText, headers });
};
