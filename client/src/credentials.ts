import { ask, type AskParts, type Credential, insist, type Patience } from './http/transport.ts';

interface ClientCredentials {
  readonly tokenUrl: () => string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Token {
  readonly authorization: string;
  /** ms since 1970. */
  readonly endsMs: number;
}

const leastLifeMs = 30_000;

/** Access tokens by client credentials: kept while they last, one request for a new one at a time. They live in this closure alone. */
export const accessTokens = (client: ClientCredentials, parts: AskParts & Patience): Credential => {
  const { clock } = parts;
  let token: Token | undefined;
  let underway: Promise<Token> | undefined;

  const renew = async (): Promise<Token> => {
    try {
      return (token = await askForToken(client, parts));
    } finally {
      underway = undefined;
    }
  };
  return {
    async headers(signal) {
      const kept = token && token.endsMs - clock.now() >= leastLifeMs ? token : undefined;
      const { authorization } = kept ?? (await unlessAborted((underway ??= renew()), signal));
      return { authorization };
    },
    refused({ authorization }) {
      if (token?.authorization === authorization) token = undefined;
      return true;
    },
  };
};

/** Others wait for the same token: who leaves does not end the request for it. */
const unlessAborted = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted();
  const { promise: left, reject } = withReject();
  const leave = () => reject(signal.reason);
  signal.addEventListener('abort', leave);
  try {
    return await Promise.race([promise, left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
};

const withReject = (): { promise: Promise<never>; reject: (reason: unknown) => void } => {
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<never>((_, no) => (reject = no));
  return { promise, reject };
};

const never = new AbortController().signal;

const askForToken = async (
  { tokenUrl, clientId, clientSecret }: ClientCredentials,
  parts: AskParts & Patience,
): Promise<Token> => {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const headers = new Headers({ accept: 'application/json' });
  const body = () => new URLSearchParams(form);
  return insist(
    async () => {
      const askedMs = parts.clock.now();
      const answer = await ask({ url: tokenUrl(), method: 'POST', headers, body, signal: never }, parts);
      const { access_token: text, expires_in: seconds } = (await answer.json()) as Partial<TokenAnswer>;
      if (typeof text !== 'string' || typeof seconds !== 'number')
        throw new Error(`${new URL(tokenUrl()).origin} answered without a token.`);
      return { authorization: `Bearer ${text}`, endsMs: askedMs + seconds * 1_000 };
    },
    parts,
    never,
  );
};

interface TokenAnswer {
  readonly access_token: string;
  readonly expires_in: number;
}

const visible = /^[\x21-\x7e]+$/;

/** There is no other key to be had when this one is refused. Throws on what is no key: fetch would tell it with its error. */
export const apiKeyCredential = (apiKey: string): Credential => {
  const key = apiKey.trim();
  if (!visible.test(key)) throw new TypeError('createClient was given an apiKey with characters that no key has');
  return {
    headers: () => Promise.resolve({ 'x-api-key': key }),
    refused: () => false,
  };
};
