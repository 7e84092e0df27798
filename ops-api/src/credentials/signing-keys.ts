import { ApiError } from '@popsvc/contracts/errors';
import { Instant } from '@popsvc/contracts/time';
import { rotateSigningKey } from '@popsvc/http-kit/auth/tokens';
import { jsonResponse, noParameters, parseQuery, type Route, switchParameter } from '@popsvc/http-kit/server';
import { listSigningKeys, type Postgres, type SecretSealer, type SigningKeyState } from '@popsvc/platform/postgres';
import { z } from 'zod';

const SigningKey = z
  .object({
    kid: z.string().describe('Id of the key, as in the header of its tokens.'),
    algorithm: z.string().describe('Algorithm of its signatures.'),
    created_at: Instant.describe('When the key was created.'),
    public_until: Instant.nullable().describe('When its last token expires; null for the key that signs.'),
  })
  .meta({ id: 'SigningKey' });

const RotateSigningKeyQuery = z.strictObject({
  end_tokens: switchParameter.describe('Whether to reject all tokens issued so far.'),
});

const path = '/ops/v1/signing-keys';

const toSigningKey = ({ kid, algorithm, createdAt, publicUntil }: SigningKeyState) => ({
  kid,
  algorithm,
  created_at: createdAt,
  public_until: publicUntil,
});

export interface SigningKeysDependencies {
  readonly postgres: Postgres;
  readonly secretSealer: SecretSealer;
}

const listSigningKeysRoute = ({ postgres }: SigningKeysDependencies): Route => ({
  method: 'get',
  path,
  summary: 'The key that signs access tokens, and earlier keys whose tokens may still be valid.',
  operationId: 'listSigningKeys',
  access: 'viewer',
  examples: [{ name: 'all' }],
  schemas: { query: noParameters, responses: { 200: z.array(SigningKey) } },
  async handle() {
    return jsonResponse(200, (await listSigningKeys(postgres)).map(toSigningKey));
  },
});

const rotateSigningKeyRoute = ({ postgres, secretSealer }: SigningKeysDependencies): Route => ({
  method: 'post',
  path: `${path}/rotate`,
  summary:
    'Signs access tokens with a new key. Tokens of earlier keys stay valid until they expire; with `end_tokens=true` they ' +
    'are rejected within 5 s.',
  operationId: 'rotateSigningKey',
  access: 'admin',
  examples: [{ name: 'now' }],
  schemas: { query: RotateSigningKeyQuery, responses: { 200: z.array(SigningKey) } },
  errorCodes: ['CONFLICT'],
  async handle({ query, log }) {
    const { end_tokens: endTokens } = parseQuery(RotateSigningKeyQuery, query);
    if (!(await rotateSigningKey(postgres, secretSealer, { endTokens })))
      throw new ApiError('CONFLICT', 'Another process has just rotated the key.');
    const keys = await listSigningKeys(postgres);
    log.info({ kid: keys[0]?.kid, endTokens }, 'signing key rotated');
    return jsonResponse(200, keys.map(toSigningKey));
  },
});

export const signingKeyRoutes = (dependencies: SigningKeysDependencies): readonly Route[] => [
  listSigningKeysRoute(dependencies),
  rotateSigningKeyRoute(dependencies),
];
