import { signal } from '@preact/signals';
import createFetchClient from 'openapi-fetch';
import type { paths } from '../generated/ops.ts';

/** `unknown` until the session is checked. The session is in a cookie that scripts cannot read. */
export const sessionState = signal<'unknown' | 'signed-in' | 'signed-out'>('unknown');

interface ApiErrorDetails {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly retryAfterSeconds: number;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly details: ApiErrorDetails;

  constructor(message: string, details: ApiErrorDetails) {
    super(message);
    this.details = details;
  }
}

export class ServiceUnreachableError extends Error {
  override readonly name = 'ServiceUnreachableError';

  constructor(cause: unknown) {
    super('The service does not answer. The page retries automatically.', { cause });
  }
}

interface ErrorBody {
  readonly message?: string;
  readonly error?: { readonly code?: string };
}

const readApiError = async (response: Response): Promise<ApiError> => {
  const body = await response.json().then(
    (json: unknown) => json as ErrorBody,
    (): ErrorBody => ({}),
  );
  return new ApiError(body.message ?? `The service answered with status ${response.status}.`, {
    status: response.status,
    code: body.error?.code ?? '',
    requestId: response.headers.get('x-request-id') ?? '',
    // A proxy may send a date, which is not a number.
    retryAfterSeconds: Number(response.headers.get('retry-after')) || 0,
  });
};

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const fetchOrThrow = async (request: Request): Promise<Response> => {
  const response = await fetch(request).catch((error: unknown) => {
    throw request.signal.aborted ? error : new ServiceUnreachableError(error);
  });
  if (response.ok) return response;
  // The login form replaces the page but keeps the URL, so that the operator returns to the same view.
  if (response.status === 401) sessionState.value = 'signed-out';
  throw await readApiError(response);
};

/** Contains a path if a reverse proxy serves the page under that path. */
export const baseUrl = new URL('.', document.baseURI).href.replace(/\/$/, '');

/** Calls throw an `ApiError`, a `ServiceUnreachableError`, or the error of an aborted request. */
export const ops = createFetchClient<paths, 'application/json'>({ baseUrl, fetch: fetchOrThrow });

/** Throws an Error if the body is empty. */
export const responseData = async <Data>(
  request: Promise<{ data?: Data; response: Response }>,
): Promise<NonNullable<Data>> => {
  const { data, response } = await request;
  if (data === undefined || data === null)
    throw new Error(`The service sent an empty response to ${new URL(response.url).pathname}.`);
  return data;
};
