import { ApiError } from '@popsvc/contracts/errors';
import { OPERATOR_ROLES } from '@popsvc/contracts/vocabulary';
import * as openid from 'openid-client';
import { z } from 'zod';
import type { Secret } from '@popsvc/platform/config';
import type { Log } from '@popsvc/platform/telemetry';
import type { SessionAccount } from './operator-sessions.ts';

export interface OidcOptions {
  /** HTTPS unless the provider is on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** Claim whose value is a role or a list that contains one. */
  readonly roleClaim: string;
}

export const PendingSignIn = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  redirectUri: z.url(),
});
export type PendingSignIn = z.output<typeof PendingSignIn>;

/** The provider authenticated a user whose role claim names no role. */
export class RoleMissing extends Error {
  override readonly name = 'RoleMissing';
}

export interface OidcSignIn {
  /** Returns the address to send the browser to. Throws UNAVAILABLE if the provider does not answer or its configuration is not valid. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly pending: PendingSignIn }>;
  /**
   * Throws RoleMissing if the role claim names no role, UNAVAILABLE like `begin`, and errors of `openid-client` if the sign-in fails for
   * another reason.
   */
  finish(query: string, pending: PendingSignIn): Promise<SessionAccount>;
}

const timeoutSeconds = 10;
const loopback = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/|$)/;

/** Over a network, plain HTTP would reveal the client secret and the authorization code. */
export const isSafeIssuer = (issuer: string): boolean => issuer.startsWith('https://') || loopback.test(issuer);

type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

const roleOf = (claim: unknown): SessionAccount['role'] | undefined => {
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return [...OPERATOR_ROLES].reverse().find((role) => named.includes(role));
};

const maxKnownCharacters = 100;

/** Only `sub` is unique; the other claims help people to recognize the account. */
const nameOf = ({ sub, preferred_username: username, email }: Claims): string => {
  const known = username ?? email;
  return `oidc:${typeof known === 'string' ? `${known.slice(0, maxKnownCharacters)} (${sub})` : sub}`;
};

export const createOidcSignIn = ({ issuer, clientId, clientSecret, roleClaim }: OidcOptions, log: Log): OidcSignIn => {
  let discovered: Promise<openid.Configuration> | undefined;
  const discover = (): Promise<openid.Configuration> => {
    discovered ??= openid
      .discovery(new URL(issuer), clientId, clientSecret.reveal(), undefined, {
        timeout: timeoutSeconds,
        ...(loopback.test(issuer) && { execute: [openid.allowInsecureRequests] }),
      })
      .catch((cause: unknown) => {
        discovered = undefined;
        log.error({ err: cause, issuer }, 'failed to discover the OpenID provider');
        throw new ApiError('UNAVAILABLE', 'The OpenID provider does not answer, or its configuration is not valid.', {
          cause,
        });
      });
    return discovered;
  };

  return {
    async begin(redirectUri) {
      const config = await discover();
      const pending = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        codeVerifier: openid.randomPKCECodeVerifier(),
        redirectUri,
      };
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(pending.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, pending };
    },
    async finish(query, { state, nonce, codeVerifier, redirectUri }) {
      const config = await discover();
      const tokens = await openid.authorizationCodeGrant(config, new URL(`${redirectUri}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const idClaims = tokens.claims() as Claims;
      const inIdToken = idClaims[roleClaim] !== undefined || !config.serverMetadata().userinfo_endpoint;
      // Some providers return claims about the user only from the user info endpoint.
      const userInfo = inIdToken ? {} : await openid.fetchUserInfo(config, tokens.access_token, idClaims.sub);
      const claims: Claims = { ...userInfo, ...idClaims };
      const role = roleOf(claims[roleClaim]);
      const name = nameOf(claims);
      if (!role) throw new RoleMissing(`the claim ${roleClaim} of ${name} names no role`);
      return { name, role };
    },
  };
};
