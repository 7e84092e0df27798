import type { TokenResponse } from './types.ts';
import { sendOnce, type TransportOptions, type Credential, retry, type RetryOptions } from './http/transport.ts';

interface ClientCredentials {
  readonly tokenUrl: () => string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Token {
  readonly authorization: string;
  /** In ms since 1970. */
  readonly expiresAtMs: number;
}

const minRemainingMs = 30_000;

/**
 * Obtains access tokens with the client credentials grant. Caches a token until 30 s before it expires, or until the service rejects it.
 * Concurrent requests share one token request. The token is kept in this closure instead of an object, so logging a client cannot reveal
 * it.
 */
export const createTokenCredential = (
  client: ClientCredentials,
  dependencies: TransportOptions & RetryOptions,
): Credential => {
  const { clock } = dependencies;
  let token: Token | undefined;
  let pendingToken: Promise<Token> | undefined;

  const renew = async (): Promise<Token> => {
    try {
      return (token = await requestToken(client, dependencies));
    } finally {
      pendingToken = undefined;
    }
  };
  return {
    async headers(signal) {
      signal.throwIfAborted();
      const cached = token && token.expiresAtMs - clock.now() >= minRemainingMs ? token : undefined;
      const { authorization } = cached ?? (await unlessAborted((pendingToken ??= renew()), signal));
      return { authorization };
    },
    refused({ authorization }) {
      if (token?.authorization === authorization) token = undefined;
      return true;
    },
  };
};

/**
 * Waits for the promise, but rejects as soon as the signal is aborted. Does not cancel the promise, because other callers may wait for the
 * same token.
 */
const unlessAborted = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise: left, reject } = withReject();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([promise, left]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};

const withReject = (): { promise: Promise<never>; reject: (reason: unknown) => void } => {
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<never>((_, no) => (reject = no));
  return { promise, reject };
};

const neverAborted = new AbortController().signal;

const requestToken = async (
  { tokenUrl, clientId, clientSecret }: ClientCredentials,
  dependencies: TransportOptions & RetryOptions,
): Promise<Token> => {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const headers = new Headers({ accept: 'application/json' });
  const body = () => new URLSearchParams(form);
  return retry(
    async () => {
      const requestedAtMs = dependencies.clock.now();
      const response = await sendOnce(
        { url: tokenUrl(), method: 'POST', headers, body, signal: neverAborted },
        dependencies,
      );
      const { access_token: text, expires_in: seconds } = (await response.json()) as Partial<TokenResponse>;
      if (typeof text !== 'string' || typeof seconds !== 'number')
        throw new Error(
          `the token response of ${new URL(tokenUrl()).origin} has no access_token or expires_in; check tokenUrl`,
        );
      return { authorization: `Bearer ${text}`, expiresAtMs: requestedAtMs + seconds * 1_000 };
    },
    dependencies,
    neverAborted,
  );
};

/** Visible ASCII characters without quotes. */
const keyFormat = /^[\x21\x23-\x26\x28-\x7e]+$/;

/**
 * Creates a credential that sends an API key. Throws a TypeError for a key with invalid characters, because the error of fetch could
 * contain the key.
 */
export const createApiKeyCredential = (apiKey: string): Credential => {
  const key = apiKey.trim();
  if (!keyFormat.test(key))
    throw new TypeError('apiKey contains invalid characters; check it for spaces, quotes or line breaks');
  return {
    headers: () => Promise.resolve({ 'x-api-key': key }),
    refused: () => false,
  };
};
