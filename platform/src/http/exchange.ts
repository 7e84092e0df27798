import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Principal } from '../auth/principal.ts';
import type { Log } from '../telemetry/index.ts';
import { traceLogFields } from '../telemetry/index.ts';
import type { RouteRequest, FormFields } from './asked.ts';
import { fieldsOf } from './fields.ts';
import { type ServerLimits, defaultServerLimits } from './limits.ts';
import type { Allowance } from './rates/rate-limits.ts';
import { requestIdOf } from './request-id.ts';
import type { Route } from './route.ts';

const noBytes = Buffer.alloc(0);
const noChunks: AsyncIterable<Buffer> = Readable.from([]);

/** One request on its way; what few routes need is made when first asked for. */
export class RequestContext implements RouteRequest {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly params: Readonly<Record<string, string>>;
  /** Set once it is known which one answers. */
  route: Pick<Route, 'path'> | undefined;
  body: unknown;
  bodyChunks: AsyncIterable<Buffer> = noChunks;
  bodyBytes: Buffer = noBytes;
  principal: Principal | undefined;
  /** Set once it is known who asks; undefined for whom no rate holds. */
  allowance: Allowance | undefined;
  limits: Pick<ServerLimits, 'responseTimeoutMs' | 'responseBytesPerMs'> = defaultServerLimits;
  /** Bytes of this request's body that count in the server's budget. */
  heldBytes = 0;
  readonly #log: Log;
  #ownLog: Log | undefined;
  #query: FormFields | undefined;
  #gone: AbortController | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, params: Readonly<Record<string, string>>, log: Log) {
    this.request = request;
    this.response = response;
    this.params = params;
    this.#log = log;
    this.requestId = requestIdOf(request.headers['x-request-id']);
  }

  get url(): string {
    return this.request.url ?? '';
  }

  get query(): FormFields {
    return (this.#query ??= fieldsOf(queryOf(this.url)));
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
      const gone = (this.#gone = new AbortController());
      if (this.response.destroyed) gone.abort();
      this.response.once('close', () => {
        if (!this.response.writableFinished) gone.abort();
      });
    }
    return this.#gone.signal;
  }

  get log(): Log {
    return (this.#ownLog ??= this.#log.child({ request_id: this.requestId, ...traceLogFields() }));
  }
}

const queryOf = (url: string): string => {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
};
