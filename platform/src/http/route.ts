import type { ErrorCode, Refusal } from '@popsvc/contracts/errors';
import type { z } from 'zod';
import type { Access } from '../auth/principal.ts';
import type { Answer, JsonAnswer } from './answer.ts';
import type { Asked } from './asked.ts';

/** What the house must know about an endpoint. The schemas are for the generated reference; `handle` does the checking. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Express path, `:name` for parameters. */
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  /** How the body is read: a JSON value, the fields of a form, or by `handle` as it comes. Without it the body is not read. */
  readonly body?: 'json' | 'form' | 'stream';
  /** Most bytes of the body after decompression; default 1 MiB. */
  readonly maxBytes?: number;
  readonly schemas?: RouteSchemas;
  /** What it may refuse with, beside what every route may: UNAUTHORIZED where it is closed, RATE_LIMITED, UNAVAILABLE, INTERNAL. */
  readonly refusals?: readonly ErrorCode[];
  /** For endpoints whose errors have a shape of their own. */
  readonly refused?: (refusal: Refusal) => JsonAnswer;
  readonly handle: (asked: Asked) => Answer | Promise<Answer>;
}

/** For the description at `/openapi.json`; a test holds what is answered against it. */
export interface RouteSchemas {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** JSON answers, by status. */
  readonly replies?: Readonly<Record<number, z.ZodType>>;
  /** Answers with status 200 that are not JSON: what they hold, by media type. */
  readonly media?: Readonly<Record<string, string>>;
}
