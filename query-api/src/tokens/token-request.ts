import { reportingScope } from '@popsvc/http-kit/auth/tokens';
import type { FormFields } from '@popsvc/http-kit/server';
import { z } from 'zod';
import { TokenRefusal } from './token-response.ts';

/** RFC 6749, section 4.4.2. */
export const TokenRequest = z
  .object({
    grant_type: z.literal('client_credentials').describe('The only supported grant.'),
    client_id: z.string().optional().describe('Required unless the client authenticates with HTTP Basic.'),
    client_secret: z.string().optional().describe('As client_id. Never put it into a program that other people run.'),
    scope: z.string().optional().describe(`Names of scopes, separated by spaces; one of them is ${reportingScope}.`),
  })
  .meta({ id: 'TokenRequest' });

/** As sent, unverified. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The caller must verify the credentials. Throws TokenRefusal. */
export const parseTokenRequest = (authorization: string | undefined, form: FormFields): ClientCredentials => {
  const grantType = readField(form, 'grant_type');
  if (grantType === undefined) throw new TokenRefusal('invalid_request', 'grant_type is required');
  const credentials = readCredentials(authorization, form);
  if (grantType !== 'client_credentials')
    throw new TokenRefusal('unsupported_grant_type', 'grant_type must be client_credentials');
  const scopes = readField(form, 'scope')?.split(' ');
  if (scopes && !scopes.includes(reportingScope))
    throw new TokenRefusal(
      'invalid_scope',
      `the requested scope does not include ${reportingScope}, the only scope of clients`,
    );
  return credentials;
};

/** An empty field counts as absent, and a repeated one is an error (RFC 6749, section 3.2). */
const readField = (form: FormFields, name: string): string | undefined => {
  const value = form[name];
  if (value !== undefined && typeof value !== 'string')
    throw new TokenRefusal('invalid_request', `${name} may be given only once`);
  return value === '' ? undefined : value;
};

/** A secret both in the header and in the form is an error (RFC 6749, section 2.3). */
const readCredentials = (authorization: string | undefined, form: FormFields): ClientCredentials => {
  const [clientId, clientSecret] = [readField(form, 'client_id'), readField(form, 'client_secret')];
  if (authorization === undefined) {
    if (clientId === undefined || clientSecret === undefined)
      throw new TokenRefusal('invalid_client', 'client_id and client_secret are required');
    return { clientId, clientSecret };
  }
  if (clientSecret !== undefined)
    throw new TokenRefusal(
      'invalid_request',
      'send the client secret in the Authorization header or in the body, not in both',
    );
  const basic = parseBasicCredentials(authorization);
  if (clientId !== undefined && clientId !== basic.clientId)
    throw new TokenRefusal('invalid_request', 'client_id differs from the client that authenticates');
  return basic;
};

const parseBasicCredentials = (authorization: string): ClientCredentials => {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1];
  const text = Buffer.from(encoded ?? '', 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const clientId = decodeFormText(text.slice(0, Math.max(colon, 0)));
  const clientSecret = decodeFormText(text.slice(colon + 1));
  if (colon < 1 || clientId === undefined || clientSecret === undefined)
    throw new TokenRefusal('invalid_client', 'the Authorization header has no valid client credentials');
  return { clientId, clientSecret };
};

const decodeFormText = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
};
