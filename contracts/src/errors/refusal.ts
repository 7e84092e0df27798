import { type ErrorCode, errors } from './codes.ts';

/** One thing that is wrong: where (`events[3].playedAt`, `limit`) and what. */
export interface Detail {
  readonly path: string;
  readonly message: string;
}

export interface RefusalOptions extends ErrorOptions {
  readonly details?: readonly Detail[];
  /** Seconds after which trying again makes sense; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Extra response headers that belong to this refusal, such as `Allow` or `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The only error that speaks to the caller; everything else is ours and becomes INTERNAL. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly details: readonly Detail[];
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string = errors[code], options: RefusalOptions = {}) {
    super(message, options);
    this.code = code;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }
}

/** A refusal of one named parameter. */
export const refuseParam = (path: string, message: string): Refusal =>
  new Refusal('INVALID_PARAM', message, { details: [{ path, message }] });
