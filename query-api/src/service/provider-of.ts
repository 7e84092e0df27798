import type { ExternalIdentityProvider } from '@popsvc/platform/auth/tokens';
import type { QueryApiConfig } from './config.ts';

/** The identity provider that is set; undefined: the built-in one. */
export const providerOf = (config: QueryApiConfig): ExternalIdentityProvider | undefined => {
  const { AUTH_ISSUER: issuer, AUTH_JWKS_URL: jwksUrl, AUTH_AUDIENCE: audience } = config;
  return issuer !== undefined && jwksUrl !== undefined && audience !== undefined
    ? { issuer, jwksUrl, audience }
    : undefined;
};
