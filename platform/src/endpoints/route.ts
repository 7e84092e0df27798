import type { ApiError, ErrorCode } from '@popsvc/contracts/errors';
import type { z } from 'zod';
import type { Access, Principal } from '../auth/access.ts';
import type { Log } from '../telemetry/index.ts';
import type { ReplyHeader } from './response-headers.ts';
import type { JsonResponse, RouteResponse } from './response.ts';

/** Fields of a query string or a form. A repeated field is an array, in order. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>;

/** A request as passed to a route's handler. */
export interface RouteRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: FormFields;
  /** Path and query as sent, not decoded. */
  readonly url: string;
  /** Reads a header by its name in any case. Joins repeated headers with commas. */
  header(name: string): string | undefined;
  /** The parsed JSON value or the form fields; undefined when the route reads no body. */
  readonly body: unknown;
  /** The bytes of the body after decompression. */
  readonly bodyBytes: Buffer;
  /** The body as a stream, on routes with `body: 'stream'`. Can be iterated once. Throws an ApiError when the sender stops. */
  readonly bodyChunks: AsyncIterable<Buffer>;
  /** Undefined only on routes that allow requests without a credential. */
  readonly principal: Principal | undefined;
  readonly requestId: string;
  /** Address of the connected peer: the proxy's address if the service runs behind one. */
  readonly remoteAddress: string;
  /**
   * Counts events against the rate limit of the API key and throws RATE_LIMITED when it is exceeded. Does nothing for callers
   * without a rate limit.
   */
  consumeEventQuota(count: number): void;
  /** Aborted when the caller disconnects before the response is complete. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Declares an endpoint. The OpenAPI document is generated from the schemas; `handle` validates the input. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Express path, with `:name` for parameters. */
  readonly path: string;
  readonly summary: string;
  /** Description for callers; CommonMark. */
  readonly description?: string;
  /** Name of the operation in OpenAPI and generated clients, camelCase. As public as the path. */
  readonly operationId?: string;
  /** Requests that succeed on the demo data; a test sends each of them. */
  readonly examples?: readonly RequestExample[];
  readonly access: Access;
  /** How the body is read: as a JSON value, as form fields, or by `handle` as a stream. Undefined: the body is not read. */
  readonly body?: 'json' | 'form' | 'stream';
  /** Maximum size of the body after decompression, in bytes; default 1 MiB. */
  readonly maxBytes?: number;
  /**
   * Limits concurrency together with all other routes that set this: the server admits as many requests as it can answer within
   * the target latency.
   */
  readonly isConcurrencyLimited?: true;
  /** Excludes the route from the OpenAPI document. */
  readonly isInternal?: true;
  readonly schemas?: RouteSchemas;
  /**
   * Error codes of this route, in addition to those of every route: UNAUTHORIZED unless public, RATE_LIMITED, UNAVAILABLE,
   * INTERNAL.
   */
  readonly errorCodes?: readonly ErrorCode[];
  /** Renders errors of endpoints with their own error format. */
  readonly renderError?: (refusal: ApiError) => JsonResponse;
  /** Called after an error response was sent, with its code. */
  readonly onRefused?: (request: RouteRequest, code: ErrorCode) => void;
  readonly handle: (request: RouteRequest) => RouteResponse | Promise<RouteResponse>;
}

/** Schemas for the OpenAPI document; a test compares actual responses with them. */
export interface RouteSchemas {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** JSON responses, by status. */
  readonly responses?: Readonly<Record<number, z.ZodType>>;
  /** Descriptions of non-JSON responses with status 200, by media type. */
  readonly otherResponses?: Readonly<Record<string, string>>;
  /** Descriptions of streamed request bodies, by media type. */
  readonly requestFiles?: Readonly<Record<string, string>>;
  /** Headers of 2xx responses, in addition to those of every response. */
  readonly responseHeaders?: readonly ReplyHeader[];
  /** Error schemas by status, for endpoints with their own error format. */
  readonly errorResponses?: Readonly<Record<number, z.ZodType>>;
}

type Value = string | number | boolean;

/** An example request. Fields without a schema in the route are left out of the documentation. */
export interface RequestExample {
  /** camelCase, unique within the route. */
  readonly name: string;
  readonly description?: string;
  readonly params?: Readonly<Record<string, Value>>;
  /** An array repeats the parameter. */
  readonly query?: Readonly<Record<string, Value | readonly Value[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
