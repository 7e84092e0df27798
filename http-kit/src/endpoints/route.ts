import type { ApiError, ErrorCode } from '@popsvc/contracts/errors';
import type { z } from 'zod';
import type { Access, Principal } from '../auth/access.ts';
import type { Log } from '@popsvc/platform/telemetry';
import type { ReplyHeader } from './response-headers.ts';
import type { JsonResponse, RouteResponse } from './response.ts';

/** The value of a repeated field is an array, in the order sent. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>;

export interface RouteRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: FormFields;
  /** Path and query as sent, not decoded. */
  readonly url: string;
  header(name: string): string | undefined;
  /** The parsed JSON value or form fields; undefined if the server does not parse the body for this route. */
  readonly body: unknown;
  /** The body after decompression. */
  readonly bodyBytes: Buffer;
  /** The body of a route with `body: 'stream'`; can be iterated once. Throws an ApiError if the caller stops sending. */
  readonly bodyChunks: AsyncIterable<Buffer>;
  /** In `handle`, undefined only on routes that allow requests without a credential. */
  readonly principal: Principal | undefined;
  readonly requestId: string;
  /** Address of the connected peer, which may be a proxy. */
  readonly remoteAddress: string;
  /** Counts events against the rate of the API key. Throws RATE_LIMITED if they exceed the rate. */
  consumeEventQuota(count: number): void;
  /** Aborts if the caller disconnects before the response is complete. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Express path, with `:name` for parameters. */
  readonly path: string;
  readonly summary: string;
  /** In CommonMark. */
  readonly description?: string;
  /** Operation name in OpenAPI and generated clients, in camelCase; part of the public API. */
  readonly operationId?: string;
  /** Requests that succeed on the demo data once ids that exist only at run time are filled in. A test sends each of them. */
  readonly examples?: readonly RequestExample[];
  readonly access: Access;
  /** `stream`: `handle` reads the body. If undefined, the body is not read. */
  readonly body?: 'json' | 'form' | 'stream';
  /** The route receives `{}` if the body is absent. */
  readonly isBodyOptional?: true;
  /** Limit of a JSON or form body after decompression. Default: 1 MiB. */
  readonly maxBytes?: number;
  /** All routes with this flag share one limit, the `ConcurrencyLimiter`. */
  readonly isConcurrencyLimited?: true;
  /** Omitted from the OpenAPI document. */
  readonly isInternal?: true;
  readonly schemas?: RouteSchemas;
  /** In addition to the codes that access, method, query schema and body imply. */
  readonly errorCodes?: readonly ErrorCode[];
  /** Renders errors other than INTERNAL in a format of the endpoint. */
  readonly renderError?: (error: ApiError) => JsonResponse;
  readonly onRejected?: (request: RouteRequest, code: ErrorCode, error: unknown) => void;
  readonly handle: (request: RouteRequest) => RouteResponse | Promise<RouteResponse>;
}

/** Only for the OpenAPI document; `handle` must validate the input. */
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
  readonly errorResponses?: Readonly<Record<number, z.ZodType>>;
  readonly errorExamples?: Readonly<Record<number, unknown>>;
}

type Value = string | number | boolean;

export interface RequestExample {
  /** In camelCase, unique within the route. */
  readonly name: string;
  readonly description?: string;
  readonly params?: Readonly<Record<string, Value>>;
  /** An array repeats the parameter. */
  readonly query?: Readonly<Record<string, Value | readonly Value[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
