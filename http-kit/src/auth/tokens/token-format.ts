export const builtInAlgorithm = 'ES256';

/** Only public-key signatures: with a shared-secret algorithm, an attacker could sign with the public key as the secret (RFC 8725, 2.1). */
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
/** Limit for clients of the built-in provider. */
export const maxTokenNetworks = 1_000;
/** In characters; a token with `maxTokenNetworks` ids of 16 digits must be shorter. */
export const maxTokenLength = 24_576;
export const tokenShape = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export const builtInIssuer = 'popsvc';
export const builtInAudience = 'popsvc-reporting';

export const reportingScope = 'reporting';

/** Tolerance for differences between the clocks of issuer and verifier. */
export const leewaySeconds = 30;
export const tokenLifetimeSeconds = 15 * 60;

export const keyCacheSeconds = 10;

/** A process may sign with a replaced key until its cached copy expires, and that token is valid for its full lifetime. */
export const replacedKeyLifetimeSeconds = tokenLifetimeSeconds + leewaySeconds + 2 * keyCacheSeconds;

export const keyRotationSeconds = 30 * 24 * 60 * 60;
