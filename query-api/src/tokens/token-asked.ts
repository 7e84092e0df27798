import type { FormFields } from '@popsvc/platform/http';
import { reportingScope } from '@popsvc/platform/auth/tokens';
import { type ClientCredentials, credentialsOf, formField } from './client-credentials.ts';
import { TokenRefusal } from './token-refusal.ts';

/** What a request for a token must be before anybody is asked whether its secret is right. */
export const tokenAsked = (authorization: string | undefined, form: FormFields): ClientCredentials => {
  const grant = formField(form, 'grant_type');
  if (grant === undefined) throw new TokenRefusal('invalid_request', 'grant_type is required');
  const credentials = credentialsOf(authorization, form);
  if (grant !== 'client_credentials')
    throw new TokenRefusal('unsupported_grant_type', 'grant_type must be client_credentials');
  const scopes = formField(form, 'scope')?.split(' ');
  if (scopes && !scopes.includes(reportingScope))
    throw new TokenRefusal('invalid_scope', `the scope of clients is ${reportingScope}`);
  return credentials;
};
