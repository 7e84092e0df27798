import type { TestQueryApi } from '../query-api/test-query-api.fixture.ts';

export type Form = Readonly<Record<string, string>>;

/** Sends a token request. */
export const requestToken = (
  { url }: Pick<TestQueryApi, 'url'>,
  form: Form | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  });

export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

export interface TokenBody {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
}

/** A report without rows: responds 200 to any valid credential. */
export const anyReport = '/api/v1/coffee?from=2026-08-20&to=2026-08-21';
