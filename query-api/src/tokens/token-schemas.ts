import { reportingScope } from '@popsvc/platform/auth/tokens';
import { z } from 'zod';

/** The form of a token request (RFC 6749, 4.4.2). */
export const TokenRequest = z
  .object({
    grant_type: z.literal('client_credentials'),
    client_id: z.string().optional().describe('Needed unless the client authenticates by HTTP Basic.'),
    client_secret: z.string().optional().describe('As client_id. Never put it into a program that others run.'),
    scope: z.string().optional().describe(`Names of scopes with spaces between; one of them is ${reportingScope}.`),
  })
  .meta({ id: 'TokenRequest' });

export const Token = z
  .object({
    access_token: z.string().describe('A JWT (RFC 9068); treat it as a mere word.'),
    token_type: z.literal('Bearer'),
    expires_in: z.int().min(1).describe('Seconds.'),
    scope: z.string(),
  })
  .meta({ id: 'Token' });

/** Why there is no token (RFC 6749, 5.2). */
export const TokenError = z
  .object({
    error: z.enum([
      'invalid_request',
      'invalid_client',
      'unsupported_grant_type',
      'invalid_scope',
      'temporarily_unavailable',
    ]),
    error_description: z.string(),
  })
  .meta({ id: 'TokenError' });

/** Public keys (RFC 7517). */
export const KeySet = z
  .object({
    keys: z.array(
      z.looseObject({
        kid: z.string(),
        kty: z.string(),
        alg: z.string(),
        use: z.literal('sig'),
        crv: z.string().optional(),
        x: z.string().optional(),
        y: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'KeySet' });
