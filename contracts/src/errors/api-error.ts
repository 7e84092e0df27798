/** Every way the house says no, with the words used when none better are given. The code is public; the words may improve. */
export const errorMessages = {
  INVALID_PARAM: 'A query or path parameter is not valid.',
  INVALID_EVENT: 'The request holds events that are not valid; nothing was stored.',
  INVALID_REQUEST: 'The request is not valid.',
  UNAUTHORIZED: 'A valid credential is needed.',
  FORBIDDEN_NETWORKS: 'The credential gives no access to this.',
  FORBIDDEN_ORIGIN: 'With a session, only pages of this server may change something.',
  NOT_FOUND: 'There is nothing here.',
  METHOD_NOT_ALLOWED: 'This method is not allowed here.',
  CONFLICT: 'The request contradicts what is already stored.',
  PAYLOAD_TOO_LARGE: 'The request body is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'The content type or encoding of the body is not supported.',
  RATE_LIMITED: 'Too many requests.',
  UNAVAILABLE: 'The service cannot answer now; try again.',
  INTERNAL: 'Something went wrong on our side.',
} as const;

export type ErrorCode = keyof typeof errorMessages;

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
