import type { ApiError, ErrorCode } from '@popsvc/contracts/errors';
import type { z } from 'zod';
import type { Access, Principal } from '../auth/access.ts';
import type { Log } from '@popsvc/platform/telemetry';
import type { ReplyHeader } from './response-headers.ts';
import type { JsonResponse, RouteResponse } from './response.ts';

/**
 * Fields of a query string or form. If a field is repeated, its value is an array, in the order in which the values were sent.
 */
export type FormFields = Readonly<Record<string, string | readonly string[]>>;

export interface RouteRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: FormFields;
  /** Path and query as the caller sent them, not decoded. */
  readonly url: string;
  /** Returns the value of a header. The name is case-insensitive. */
  header(name: string): string | undefined;
  /** The parsed JSON value or the form fields; undefined if the server does not parse the body for this route. */
  readonly body: unknown;
  /** The bytes of the body after decompression. */
  readonly bodyBytes: Buffer;
  /**
   * The body as a stream, on routes with `body: 'stream'`. It can be iterated once. Throws an ApiError if the caller stops
   * sending.
   */
  readonly bodyChunks: AsyncIterable<Buffer>;
  /** The authenticated caller. Undefined only on routes that allow requests without a credential. */
  readonly principal: Principal | undefined;
  readonly requestId: string;
  /** Address of the connected peer. If the service runs behind a proxy, this is the proxy's address. */
  readonly remoteAddress: string;
  /**
   * Counts events against the rate limit of the API key. Throws RATE_LIMITED if the events exceed the limit. Does nothing for
   * callers without a rate limit.
   */
  consumeEventQuota(count: number): void;
  /** Aborts if the caller disconnects before the response is complete. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Declares an endpoint. The OpenAPI document is generated from the schemas; the `handle` function validates the input. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Express path, with `:name` for parameters. */
  readonly path: string;
  readonly summary: string;
  /** Description for callers, in CommonMark. */
  readonly description?: string;
  /** Name of the operation in OpenAPI and generated clients, in camelCase. Like the path, it is part of the public API. */
  readonly operationId?: string;
  /** Example requests that succeed on the demo data. A test sends each of them. */
  readonly examples?: readonly RequestExample[];
  readonly access: Access;
  /** How the body is read: as a JSON value, as form fields, or by `handle` as a stream. If undefined, the body is not read. */
  readonly body?: 'json' | 'form' | 'stream';
  /** Whether a JSON body may be absent. The route then receives `{}`, whatever the Content-Type is. */
  readonly isBodyOptional?: true;
  /** Maximum size of a JSON or form body after decompression, in bytes. Default: 1 MiB. A streamed body has no such limit. */
  readonly maxBytes?: number;
  /**
   * Whether the route is subject to the server's concurrency limit (see `ConcurrencyLimiter`). All routes with this flag share one limit.
   */
  readonly isConcurrencyLimited?: true;
  /** Whether the OpenAPI document omits this route. */
  readonly isInternal?: true;
  readonly schemas?: RouteSchemas;
  /** Error codes of this route, in addition to those that its access, method, query schema and body imply. */
  readonly errorCodes?: readonly ErrorCode[];
  /** Renders errors other than INTERNAL in the endpoint's own format instead of the shared JSON error format. */
  readonly renderError?: (error: ApiError) => JsonResponse;
  /** Called after an error response was sent, with its code and the error that caused it. */
  readonly onRejected?: (request: RouteRequest, code: ErrorCode, error: unknown) => void;
  readonly handle: (request: RouteRequest) => RouteResponse | Promise<RouteResponse>;
}

/** Schemas for the OpenAPI document. A test compares actual responses with them. */
export interface RouteSchemas {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly responses?: Readonly<Record<number, z.ZodType>>;
  /** Descriptions of responses with status 200 that have no schema, by media type. */
  readonly otherResponses?: Readonly<Record<string, string>>;
  /** Descriptions of streamed request bodies, by media type. */
  readonly requestFiles?: Readonly<Record<string, string>>;
  /** Headers of 2xx responses, in addition to those of every response. */
  readonly responseHeaders?: readonly ReplyHeader[];
  /** Error schemas by status, for endpoints with their own error format. */
  readonly errorResponses?: Readonly<Record<number, z.ZodType>>;
  /** Examples of `errorResponses`, by status. */
  readonly errorExamples?: Readonly<Record<number, unknown>>;
}

type Value = string | number | boolean;

/** An example request. The documentation shows only those fields that the route has a schema for. */
export interface RequestExample {
  /** Name in camelCase, unique within the route. */
  readonly name: string;
  readonly description?: string;
  readonly params?: Readonly<Record<string, Value>>;
  /** Query parameters. An array means that the parameter is repeated. */
  readonly query?: Readonly<Record<string, Value | readonly Value[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
