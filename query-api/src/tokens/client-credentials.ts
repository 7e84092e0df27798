import type { FormFields } from '@popsvc/platform/http';
import { TokenRefusal } from './token-refusal.ts';

/** Who says to be the client, not yet proven. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A parameter of the form; one that is sent twice is refused, an empty one is one not sent (RFC 6749, 3.1). */
export const formField = (form: FormFields, name: string): string | undefined => {
  const value = form[name];
  if (value !== undefined && typeof value !== 'string')
    throw new TokenRefusal('invalid_request', `${name} may be given only once`);
  return value === '' ? undefined : value;
};

/** By HTTP Basic or in the form, one of them (RFC 6749, 2.3.1). */
export const credentialsOf = (authorization: string | undefined, form: FormFields): ClientCredentials => {
  const [clientId, clientSecret] = [formField(form, 'client_id'), formField(form, 'client_secret')];
  if (authorization === undefined) {
    if (clientId === undefined || clientSecret === undefined)
      throw new TokenRefusal('invalid_client', 'client_id and client_secret are needed');
    return { clientId, clientSecret };
  }
  if (clientSecret !== undefined)
    throw new TokenRefusal('invalid_request', 'the client must be authenticated in one way, not in two');
  const basic = basicOf(authorization);
  if (clientId !== undefined && clientId !== basic.clientId)
    throw new TokenRefusal('invalid_request', 'client_id is not the client that authenticates');
  return basic;
};

const basicOf = (authorization: string): ClientCredentials => {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1];
  const text = Buffer.from(encoded ?? '', 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const [clientId, clientSecret] = [formDecoded(text.slice(0, Math.max(colon, 0))), formDecoded(text.slice(colon + 1))];
  if (colon < 1 || clientId === undefined || clientSecret === undefined)
    throw new TokenRefusal('invalid_client', 'the Authorization header is not that of a client');
  return { clientId, clientSecret };
};

const formDecoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
};
