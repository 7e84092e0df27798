import { channel } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import type { ResponseHeaders, RouteResponse, StreamResponse } from '../endpoints/response.ts';
import { encodeContent, encodeStream, negotiateCoding } from './compression.ts';
import type { RequestContext } from './request-context.ts';
import type { ServerLimits } from './limits.ts';

/** These headers prevent a browser from caching the response, and from using it as a page, script or frame. A route may override them. */
export const protectiveHeaders: ResponseHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Published for observers such as tests. The content is not compressed. */
export interface SentResponse {
  readonly method: string;
  /** Undefined if no route matched. */
  readonly path: string | undefined;
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Undefined for streamed responses. A Buffer is valid only while the observer runs. */
  readonly content: string | Buffer | undefined;
}

const sentResponses = channel('popsvc.http.answered');

const drainLimits = { bytes: 16 * 1024 * 1024, ms: 2_000 };

/** If the server closed the connection with unread bytes, the caller might receive a reset instead of the response. */
const drainRequest = ({ request }: RequestContext): void => {
  if (request.complete || request.destroyed) return;
  let left = drainLimits.bytes;
  const cutOff = () => request.destroy();
  const timer = setTimeout(cutOff, drainLimits.ms).unref();
  request
    .on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) cutOff();
    })
    .once('close', () => clearTimeout(timer))
    .on('error', () => undefined)
    .resume();
};

/** Without a limit, slow readers could occupy connections and memory indefinitely. */
const limitResponseTime = (
  response: ServerResponse,
  { responseTimeoutMs, responseBytesPerMs }: Pick<ServerLimits, 'responseTimeoutMs' | 'responseBytesPerMs'>,
): void => {
  const left = response.writableLength;
  if (left === 0 || response.destroyed) return;
  const timer = setTimeout(() => response.destroy(), responseTimeoutMs + left / responseBytesPerMs).unref();
  response.once('close', () => clearTimeout(timer));
};

const idleTimeoutMs = 60_000;

/**
 * Before the first byte, an error becomes an ordinary error response. A later one breaks the connection, so the caller detects that the
 * response is incomplete.
 */
const pipeStream = async (context: RequestContext, answer: StreamResponse, headers: ResponseHeaders): Promise<void> => {
  const { request, response, signal } = context;
  const coding = negotiateCoding({ ...answer, headers }, context);
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries({ ...headers, ...coding.headers })) response.setHeader(name, value);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const source = encodeStream(await answer.open(signal), coding);
  // The timeout applies if the caller reads nothing, and if the source delivers nothing.
  response.setTimeout(idleTimeoutMs, () => response.destroy());
  response.once('close', () => source.destroy());
  await new Promise<void>((resolve, reject) => {
    source.once('error', (error: unknown) => {
      source.unpipe(response);
      reject(error instanceof Error ? error : new Error(String(error)));
    });
    source.once('close', () => {
      if (source.readableEnded || response.destroyed) resolve();
      else reject(new Error('the source of the response closed before its end'));
    });
    if (response.destroyed) source.destroy();
    else source.pipe(response);
  });
};

export const sendResponse = async (context: RequestContext, answer: RouteResponse): Promise<void> => {
  const { response, requestId, allowance } = context;
  const crossOrigin = context.crossOriginHeaders;
  const commonHeaders = { ...crossOrigin, ...allowance?.headers(), 'X-Request-Id': requestId };
  drainRequest(context);
  if (answer.kind === 'stream') {
    const headers = {
      ...protectiveHeaders,
      ...answer.headers,
      ...commonHeaders,
      ...joinVary(answer.headers, crossOrigin),
    };
    await pipeStream(context, answer, headers);
    publishSent(context, answer.status, headers);
    return;
  }
  if (answer.kind === 'raw' && answer.onClosed) {
    // If the caller has disconnected, `close` has already been emitted.
    if (response.closed) process.nextTick(answer.onClosed);
    else response.once('close', answer.onClosed);
  }
  const empty = answer.status === 204;
  const uncompressed = answer.kind === 'json' ? JSON.stringify(answer.body) : answer.content;
  const coding = negotiateCoding(answer, context, Buffer.byteLength(uncompressed));
  const content = await encodeContent(uncompressed, coding, answer);
  const headers = {
    ...protectiveHeaders,
    ...(!empty && {
      'Content-Type': answer.kind === 'json' ? 'application/json; charset=utf-8' : answer.contentType,
      'Content-Length': String(Buffer.byteLength(content)),
    }),
    ...answer.headers,
    ...coding.headers,
    ...commonHeaders,
    ...joinVary({ ...answer.headers, ...coding.headers }, crossOrigin),
  };
  response.writeHead(answer.status, headers);
  response.end(empty ? undefined : content);
  limitResponseTime(response, context.limits);
  publishSent(context, answer.status, headers, uncompressed);
};

const joinVary = (...all: readonly (ResponseHeaders | undefined)[]): ResponseHeaders => {
  const names = all.flatMap((headers) => headers?.['Vary'] ?? []);
  return names.length > 0 ? { Vary: names.join(', ') } : {};
};

const publishSent = (
  { request, route }: RequestContext,
  status: number,
  headers: ResponseHeaders,
  content?: string | Buffer,
): void => {
  if (!sentResponses.hasSubscribers) return;
  const { method = '' } = request;
  sentResponses.publish({ method, path: route?.path, status, headers, content } satisfies SentResponse);
};
