import createFetchClient, { type Client } from 'openapi-fetch';
import pRetry from 'p-retry';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiErrorDetail } from '@popsvc/contracts/errors';
import type { components, paths } from '../generated/ops.ts';
import { CliError, describeNetworkError } from '../output/cli-error.ts';
import { findService, type ServiceLocation } from './find-service.ts';

/** Throws a CliError for every redirect and error response, and if the server does not answer. */
export type OpsClient = Client<paths, 'application/json'>;

export type OpsSchema<Name extends keyof components['schemas']> = components['schemas'][Name];

type GetOf<Path extends keyof paths> = paths[Path] extends { get: infer Operation } ? Operation : never;
type PostOf<Path extends keyof paths> = paths[Path] extends { post: infer Operation } ? Operation : never;

export type OpsResponse<Path extends keyof paths> =
  GetOf<Path> extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : never;

export type OpsQuery<Path extends keyof paths> =
  GetOf<Path> extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never;

export type OpsRequest<Path extends keyof paths> =
  PostOf<Path> extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : never;

class OpsError extends CliError {
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(response: Response, message: string, details: readonly ApiErrorDetail[]) {
    super(message, details);
    this.status = response.status;
    this.retryAfterMs = readRetryAfterMs(response.headers);
  }
}

class UnreachableError extends CliError {
  constructor(url: string, cause: unknown) {
    super(`${new URL(url).origin} does not answer (${describeNetworkError(cause)}). Is the service running?`);
  }
}

/** `Retry-After` contains a number of seconds or a date. */
const readRetryAfterMs = (headers: Headers): number | undefined => {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
};

/** Every field may be missing, because a proxy may send a different body. */
type ErrorBody = { readonly [Name in keyof OpsSchema<'Error'>]?: Partial<OpsSchema<'Error'>[Name]> } | null;

const readError = async (response: Response): Promise<OpsError> => {
  try {
    const body = (await response.json()) as ErrorBody;
    if (body?.message !== undefined && body.error?.details !== undefined)
      return new OpsError(response, body.message, body.error.details);
  } catch {
    // A proxy may send a body that is not JSON.
  }
  return new OpsError(response, `${response.url} responded with ${response.status}.`, []);
};

/** Applying a large registry can take minutes. */
const requestTimeoutMs = 10 * 60_000;

const sendOnce = async ({ url, method, headers }: Request, body: ArrayBuffer | undefined): Promise<Response> => {
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers,
      signal: AbortSignal.timeout(requestTimeoutMs),
      // If fetch followed a redirect, it could drop the operator token or turn a POST into a GET.
      redirect: 'manual',
      ...(body && { body }),
    });
  } catch (error) {
    throw new UnreachableError(url, error);
  }
  const { status, headers: answered } = response;
  if (status >= 300 && status <= 399) {
    const target = answered.get('location') ?? '';
    const origin = URL.canParse(target, url) ? new URL(target, url).origin : 'another address';
    throw new CliError(`${new URL(url).origin} redirects to ${origin}. Use the address of the service itself.`);
  }
  if (!response.ok) throw await readError(response);
  return response;
};

/** A 409 is temporary only if it has `Retry-After`. */
const isRetryable = (error: unknown): error is OpsError | UnreachableError =>
  error instanceof UnreachableError ||
  (error instanceof OpsError &&
    ([429, 502, 503, 504].includes(error.status) || (error.status === 409 && error.retryAfterMs !== undefined)));

const send = async (request: Request, retryTimeoutMs: number): Promise<Response> => {
  const body = request.body ? await request.arrayBuffer() : undefined;
  const deadline = performance.now() + retryTimeoutMs;
  return pRetry(() => sendOnce(request, body), {
    retries: Infinity,
    minTimeout: 100,
    maxTimeout: 15_000,
    randomize: true,
    async shouldRetry({ error }) {
      if (!isRetryable(error) || performance.now() >= deadline) return false;
      if (error instanceof OpsError) await sleep(error.retryAfterMs ?? 0);
      return true;
    },
  });
};

/** Only for calls that are safe to repeat. After `retryTimeoutMs`, a failed attempt is not repeated. */
export const withRetries = (retryTimeoutMs: number) => ({
  fetch: (request: Request): Promise<Response> => send(request, retryTimeoutMs),
});

const createOpsClient = ({ opsUrl, operatorToken }: Pick<ServiceLocation, 'opsUrl' | 'operatorToken'>): OpsClient =>
  createFetchClient<paths, 'application/json'>({
    baseUrl: opsUrl,
    headers: { authorization: `Bearer ${operatorToken}` },
    ...withRetries(0),
  });

/** Throws a CliError if the body is empty. */
export const dataOf = async <Data>(
  request: Promise<{ data?: Data; response: Response }>,
): Promise<NonNullable<Data>> => {
  const {
    data,
    response: { status, url },
  } = await request;
  if (data === undefined || data === null)
    throw new CliError(`The operations server sent an empty response with status ${status} to ${url}.`);
  return data;
};

export interface ServiceConnection {
  readonly service: ServiceLocation;
  /** Reading this property throws a CliError if the address or the token of the operations server is unknown or invalid. */
  readonly ops: OpsClient;
}

/** Only actions call this function, so that help and usage errors work without a service. */
export type Connect = () => Promise<ServiceConnection>;

export const createConnect =
  (env: NodeJS.ProcessEnv): Connect =>
  async () => {
    const service = await findService(env);
    let ops: OpsClient | undefined;
    return {
      service,
      get ops() {
        return (ops ??= createOpsClient(service));
      },
    };
  };
