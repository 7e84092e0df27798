/*
 * Constants for access tokens: the format of tokens issued by the built-in provider, and the requirements for all tokens (RFC
 * 9068, RFC 8725).
 */

export const builtInAlgorithm = 'ES256';

/**
 * Algorithms accepted from external providers: public-key signatures only. If algorithms with a shared secret were accepted, an
 * attacker could sign tokens with the provider's public key as the secret (RFC 8725, 2.1).
 */
export const acceptedAlgorithms = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];

export const tokenType = 'at+jwt';
/** Maximum number of networks of a client of the built-in provider. */
export const maxTokenNetworks = 1_000;
/** Maximum number of characters of an access token. A token with `maxTokenNetworks` ids of 16 digits is shorter. */
export const maxTokenLength = 24_576;
/** Matches three base64url parts, the compact form of a JWT. */
export const tokenShape = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export const builtInIssuer = 'popsvc';
export const builtInAudience = 'popsvc-reporting';

/** The scope of every issued token. */
export const reportingScope = 'reporting';

/** Tolerance in seconds for differences between the clocks of issuer and verifier. */
export const leewaySeconds = 30;
export const tokenLifetimeSeconds = 15 * 60;

/** How long a process uses cached signing keys, in seconds. */
export const keyCacheSeconds = 10;

/**
 * How long a replaced key must stay published, in seconds. A process may sign with the replaced key until its cached copy of the
 * key expires. A token that it signs at that moment is valid for its full lifetime.
 */
export const replacedKeyLifetimeSeconds = tokenLifetimeSeconds + leewaySeconds + 2 * keyCacheSeconds;

export const keyRotationSeconds = 30 * 24 * 60 * 60;
