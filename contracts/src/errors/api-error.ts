import { type ErrorCode, errorMessages } from './codes.ts';

/** One thing that is wrong: where (`events[3].playedAt`, `limit`) and what. */
export interface ApiErrorDetail {
  readonly path: string;
  readonly message: string;
}

export interface ApiErrorOptions extends ErrorOptions {
  readonly details?: readonly ApiErrorDetail[];
  /** Seconds after which trying again makes sense; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Extra response headers that belong to this refusal, such as `Allow` or `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The only error that speaks to the caller; everything else is ours and becomes INTERNAL. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: readonly ApiErrorDetail[];
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string = errorMessages[code], options: ApiErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }
}

/** A refusal of one named parameter. */
export const invalidParam = (path: string, message: string): ApiError =>
  new ApiError('INVALID_PARAM', message, { details: [{ path, message }] });
