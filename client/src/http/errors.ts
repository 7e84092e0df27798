import type { ErrorResponse, TokenError } from '../types.ts';

/** No complete response arrived, because the service is unavailable or too slow, or the connection broke. `cause` has the details. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** Origin of the service, such as `https://reports.example.com`. */
  readonly origin: string;

  constructor(url: string, what: string, cause: unknown) {
    const { origin } = new URL(url);
    super(`${origin} ${what} (${reasonOf(cause)})`, { cause });
    this.origin = origin;
  }
}

/** fetch throws a general message, such as `fetch failed`, and puts the reason into `cause`. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
};

/** A problem in a request: the parameter or field, such as `limit` or `events[3].playedAt`, and what is wrong with it. */
export type ErrorDetail = Readonly<ErrorResponse['error']['details'][number]>;

/** The service responded, but with an error status (4xx or 5xx). */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  /**
   * An error code such as `INVALID_PARAM` or `RATE_LIMITED`. Errors of the token endpoint have the codes of RFC 6749, such as
   * `invalid_client`. If the body contains no code, for example because a proxy sent it, the code is `HTTP_` with the status.
   */
  readonly code: string;
  readonly details: readonly ErrorDetail[];
  /** Identifies the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** The pause that the `Retry-After` header requests, in ms; undefined if the header is absent or invalid. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, result: ErrorContent, retryAfterMs: number | undefined) {
    super(result.message);
    this.status = status;
    this.code = result.code;
    this.details = result.details;
    this.requestId = result.requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

interface ErrorContent extends Pick<ServiceError, 'code' | 'details' | 'requestId'> {
  readonly message: string;
}

/**
 * The fields of the body of an error response, and those of its field `error`. Each may be missing or have any type, because a proxy may
 * send a different body.
 */
type Fields = { readonly [Name in keyof (ErrorResponse & TokenError) | keyof ErrorResponse['error']]?: unknown };

const parseBody = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // The body is not JSON; a proxy may have sent it.
    return undefined;
  }
};

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? value : {});

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Converts the `Retry-After` header, which contains a number of seconds or a date, to a pause in ms. `now` is in ms since 1970. */
const retryAfterMsOf = (headers: Headers, now: number): number | undefined => {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
};

/** Creates the error for an error response. `now` is in ms since 1970. */
export const readServiceError = async (response: Response, now: number): Promise<ServiceError> => {
  const { status, headers } = response;
  // The body has the format of the service or, at the token endpoint, that of RFC 6749.
  const body = fieldsOf(parseBody(await response.text()));
  const { code, details } = fieldsOf(body.error);
  const result: ErrorContent = {
    code: textOf(body.error) ?? textOf(code) ?? `HTTP_${status}`,
    details: Array.isArray(details) ? details : [],
    message: textOf(body.message) ?? textOf(body.error_description) ?? `The service answered ${status}.`,
    requestId: textOf(body.request_id) ?? headers.get('x-request-id') ?? undefined,
  };
  return new ServiceError(status, result, retryAfterMsOf(headers, now));
};
