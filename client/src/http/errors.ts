/** No answer came, or not the whole of it: the service is away, too slow, or the connection broke. `cause` says more. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The service as it was asked, without path and query. */
  readonly origin: string;

  constructor(url: string, what: string, cause: unknown) {
    const { origin } = new URL(url);
    super(`${origin} ${what} (${reasonOf(cause)})`, { cause });
    this.origin = origin;
  }
}

/** What fetch tells lies one level down. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
};

/** One thing that is wrong with a request: where (`limit`, `events[3].playedAt`) and what. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** The service answered, and said no. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** HTTP status. */
  readonly status: number;
  /** `INVALID_PARAM`, `RATE_LIMITED` and so on; of the token endpoint those of RFC 6749, such as `invalid_client`. */
  readonly code: string;
  readonly details: readonly ErrorDetail[];
  /** By which the operators of the service find this request in their logs. */
  readonly requestId: string | undefined;
  /** When it makes sense to ask again, in ms from now, if the service said so. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, told: Told, retryAfterMs: number | undefined) {
    super(told.message);
    this.status = status;
    this.code = told.code;
    this.details = told.details;
    this.requestId = told.requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

interface Told extends Pick<ServiceError, 'code' | 'details' | 'requestId'> {
  readonly message: string;
}

/** Both shapes the service has for errors: its own, and that of RFC 6749. */
interface Body {
  readonly message?: string;
  readonly error?: string | { readonly code: string; readonly details: readonly ErrorDetail[] };
  readonly error_description?: string;
  readonly request_id?: string;
}

const bodyOf = (text: string): Body => {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    // Whatever stands between us and the service answers in words of its own.
    return {};
  }
};

/** `Retry-After`, as seconds or as a date, in ms from now. */
const retryAfterMsOf = (headers: Headers, now: number): number | undefined => {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
};

/** The error an answer tells; `now` in ms since 1970. */
export const serviceErrorOf = async (answer: Response, now: number): Promise<ServiceError> => {
  const { status, headers } = answer;
  const { message, error, error_description: description, request_id: id } = bodyOf(await answer.text());
  const own = typeof error === 'object' ? error : { code: error ?? `HTTP_${status}`, details: [] };
  const told: Told = {
    ...own,
    message: message ?? description ?? `The service answered ${status}.`,
    requestId: id ?? headers.get('x-request-id') ?? undefined,
  };
  return new ServiceError(status, told, retryAfterMsOf(headers, now));
};
