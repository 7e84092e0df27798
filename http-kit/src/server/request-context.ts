import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Principal } from '../auth/access.ts';
import type { ResponseHeaders } from '../endpoints/response.ts';
import type { FormFields, Route, RouteRequest } from '../endpoints/route.ts';
import { type Log, traceLogFields } from '@popsvc/platform/telemetry';
import { callerKey } from './caller-ledger.ts';
import type { Allowance } from './rate-limits.ts';
import { defaultServerLimits, type ServerLimits } from './limits.ts';
import type { ServerContext } from './server-context.ts';

const noFields: FormFields = Object.freeze(Object.create(null) as FormFields);

/** The result has no prototype, so no field name has a special meaning. */
export const parseFields = (text: string): FormFields => {
  if (text === '') return noFields;
  const fields = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields[name];
    if (before === undefined) fields[name] = value;
    else if (typeof before === 'string') fields[name] = [before, value];
    else before.push(value);
  }
  return fields;
};

const safeRequestId = /^[A-Za-z0-9._:/+=-]{1,128}$/;

/** Matches an API key or client secret that a caller sent in X-Request-Id by mistake; request ids are written to logs. */
const secretPattern = /_(?:sk|cs)_[\w-]{20}/;

const requestIdOf = (sent: string | readonly string[] | undefined): string =>
  typeof sent === 'string' && safeRequestId.test(sent) && !secretPattern.test(sent) ? sent : randomUUID();

const noBytes = Buffer.alloc(0);
const noChunks: AsyncIterable<Buffer> = Readable.from([]);

export class RequestContext implements RouteRequest {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly params: Readonly<Record<string, string>>;
  route: Pick<Route, 'path'> | undefined;
  body: unknown;
  bodyChunks: AsyncIterable<Buffer> = noChunks;
  bodyBytes: Buffer = noBytes;
  principal: Principal | undefined;
  /** Undefined for callers without a rate limit. */
  allowance: Allowance | undefined;
  limits: Pick<ServerLimits, 'responseTimeoutMs' | 'responseBytesPerMs'> = defaultServerLimits;
  /** Bytes of this request's body in memory. */
  heldBytes = 0;
  /** Ms that the body has kept the event loop busy: estimated for its transfer, measured for parsing and validation. */
  busyMs = 0;
  hasHeavyBody = false;
  readonly #server: Pick<ServerContext, 'log' | 'crossOrigin'>;
  #ownLog: Log | undefined;
  #query: FormFields | undefined;
  #gone: AbortController | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    params: Readonly<Record<string, string>>,
    server: Pick<ServerContext, 'log' | 'crossOrigin'>,
  ) {
    this.request = request;
    this.response = response;
    this.params = params;
    this.#server = server;
    this.requestId = requestIdOf(request.headers['x-request-id']);
  }

  get url(): string {
    return this.request.url ?? '';
  }

  get query(): FormFields {
    return (this.#query ??= parseFields(queryOf(this.url)));
  }

  /** Undefined for operators and unauthenticated requests, which have no limits per caller. */
  get caller(): string | undefined {
    const { principal } = this;
    return principal === undefined || principal.kind === 'operator' ? undefined : callerKey(principal);
  }

  get crossOriginHeaders(): ResponseHeaders {
    return this.#server.crossOrigin.headersOf(this.request);
  }

  get remoteAddress(): string {
    return this.request.socket.remoteAddress ?? '';
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  consumeEventQuota(count: number): void {
    this.allowance?.spend('events', count);
  }

  get signal(): AbortSignal {
    if (!this.#gone) {
      const disconnected = (this.#gone = new AbortController());
      if (this.response.destroyed) disconnected.abort();
      this.response.once('close', () => {
        if (!this.response.writableFinished) disconnected.abort();
      });
    }
    return this.#gone.signal;
  }

  get log(): Log {
    return (this.#ownLog ??= this.#server.log.child({ request_id: this.requestId, ...traceLogFields() }));
  }
}

const queryOf = (url: string): string => {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
};
