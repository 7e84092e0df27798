import type { ErrorCode, ApiError } from '@popsvc/contracts/errors';
import type { z } from 'zod';
import type { Access } from '../auth/principal.ts';
import type { ReplyHeader } from '../openapi/reply-headers.ts';
import type { RouteResponse, JsonResponse } from './answer.ts';
import type { RouteRequest } from './asked.ts';

/** What the house must know about an endpoint. The schemas are for the generated reference; `handle` does the checking. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Express path, `:name` for parameters. */
  readonly path: string;
  readonly summary: string;
  /** More about it for its callers; CommonMark. */
  readonly description?: string;
  /** Its name in generated clients, camelCase: as public as the path. */
  readonly operationId?: string;
  /** Requests that work on the demo network; a test sends each. */
  readonly examples?: readonly RequestExample[];
  readonly access: Access;
  /** How the body is read: a JSON value, the fields of a form, or by `handle` as it comes. Without it the body is not read. */
  readonly body?: 'json' | 'form' | 'stream';
  /** Most bytes of the body after decompression; default 1 MiB. */
  readonly maxBytes?: number;
  /** It waits for the same as all others that are paced: only as many are let in at a time as are answered soon. */
  readonly isConcurrencyLimited?: true;
  /** No part of the interface, and so not in its description. */
  readonly isInternal?: true;
  readonly schemas?: RouteSchemas;
  /** What it may refuse with, beside what every route may: UNAUTHORIZED where it is closed, RATE_LIMITED, UNAVAILABLE, INTERNAL. */
  readonly errorCodes?: readonly ErrorCode[];
  /** For endpoints whose errors have a shape of their own. */
  readonly renderError?: (refusal: ApiError) => JsonResponse;
  /** Hears of each request that was refused, by whatever on its way, once the caller was told. */
  readonly onRefused?: (asked: RouteRequest, code: ErrorCode) => void;
  readonly handle: (asked: RouteRequest) => RouteResponse | Promise<RouteResponse>;
}

/** For the description at `/openapi.json`; a test holds what is answered against it. */
export interface RouteSchemas {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** JSON answers, by status. */
  readonly responses?: Readonly<Record<number, z.ZodType>>;
  /** Answers with status 200 that are not JSON: what they hold, by media type. */
  readonly otherResponses?: Readonly<Record<string, string>>;
  /** Bodies that are read as they come: what they hold, by media type. */
  readonly requestFiles?: Readonly<Record<string, string>>;
  /** Headers of what is answered with 2xx, beside those of every answer. */
  readonly responseHeaders?: readonly ReplyHeader[];
  /** For endpoints whose errors have a shape of their own: those, by status, instead of the codes. */
  readonly errorResponses?: Readonly<Record<number, z.ZodType>>;
}

type Value = string | number | boolean;

/** A request as its caller would make it; what the route has no schema for is left out. */
export interface RequestExample {
  /** camelCase, once a route. */
  readonly name: string;
  readonly description?: string;
  readonly params?: Readonly<Record<string, Value>>;
  /** Several values: the parameter is repeated. */
  readonly query?: Readonly<Record<string, Value | readonly Value[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
