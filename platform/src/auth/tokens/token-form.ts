/** What the built-in provider's tokens are, and what any token must be (RFC 9068, RFC 8725). */
export const builtInAlgorithm = 'ES256';

/** Of tokens from elsewhere: public-key signatures alone, so that a public key is never taken for a shared secret. */
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
export const maxTokenLength = 8_192;
/** Three parts of base64url, and not a character more. */
export const tokenShape = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export const builtInIssuer = 'popsvc';
export const builtInAudience = 'popsvc-reporting';

/** What a client may do with its token. */
export const reportingScope = 'reporting';
