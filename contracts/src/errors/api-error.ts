/** Error codes with their default messages. Codes are part of the API; messages may change. */
export const errorMessages = {
  INVALID_PARAM: 'A query or path parameter is not valid.',
  INVALID_EVENT: 'The request contains invalid events; no event was stored.',
  INVALID_REQUEST: 'The request is not valid.',
  UNAUTHORIZED: 'A valid credential is required.',
  FORBIDDEN: 'The credential does not allow this request.',
  FORBIDDEN_NETWORKS: 'The credential does not grant access to these networks or places.',
  FORBIDDEN_ORIGIN:
    'A request with a session cookie must come from a page of the console. If it does, add the address of the console to CONSOLE_ORIGINS.',
  NOT_FOUND: 'The resource does not exist.',
  METHOD_NOT_ALLOWED: 'This method is not allowed for this resource.',
  HISTORY_GONE: 'Reports of this time are no longer kept.',
  CONFLICT: 'The request contradicts what is already stored.',
  PAYLOAD_TOO_LARGE: 'The request body is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'The content type or encoding of the body is not supported.',
  RATE_LIMITED: 'Too many requests.',
  UNAVAILABLE: 'The service is temporarily unavailable. Retry later.',
  REBUILDING: 'This data was damaged and is being rebuilt from the event log. Retry later.',
  INTERNAL: 'Internal error.',
} as const;

export type ErrorCode = keyof typeof errorMessages;

/** `path`: the field of the request, such as `events[3].playedAt` or `limit`. */
export interface ApiErrorDetail {
  readonly path: string;
  readonly message: string;
  readonly value?: string;
}

export interface ApiErrorOptions extends ErrorOptions {
  readonly details?: readonly ApiErrorDetail[];
  /** Sent as the header `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error whose code and message are sent to the caller. */
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

export const invalidParam = (path: string, message: string): ApiError =>
  new ApiError('INVALID_PARAM', message, { details: [{ path, message }] });
