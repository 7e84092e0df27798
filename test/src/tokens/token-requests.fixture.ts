import type { World } from '../query-api/world.fixture.ts';

export type Form = Readonly<Record<string, string>>;

/** A request for a token, as a partner sends it. */
export const askToken = (
  { url }: Pick<World, 'url'>,
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

/** Where any good credential gets a 200: the report needs no rows. */
export const anyReport = '/api/v1/coffee?from=2026-08-20&to=2026-08-21';
