import type { Refusal } from '@popsvc/contracts/errors';
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
  /** For endpoints whose errors have a shape of their own. */
  readonly refused?: (refusal: Refusal) => JsonAnswer;
  readonly handle: (asked: Asked) => Answer | Promise<Answer>;
}

export interface RouteSchemas {
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly replies?: Readonly<Record<number, z.ZodType>>;
}
