import { createHmac, createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { expect } from 'chai';
import sinon from 'sinon';
import {
  CompactEncrypt,
  type CryptoKey,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { openPrivateJwk } from '@popsvc/http-kit/auth/tokens';
import { readCurrentSigningKey } from '@popsvc/platform/postgres';
import { expectRefused } from '../query-api/refusals.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from '../query-api/test-query-api.fixture.ts';
import { anyReport } from './token-requests.fixture.ts';
import { secretSealer } from '../support/test-sealer.ts';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);

describe('a forged token', () => {
  let api: TestQueryApi;
  let validToken: string;
  let header: ReturnType<typeof decodeProtectedHeader>;
  let claims: JWTPayload;
  let signingKey: CryptoKey;
  let foreignKey: CryptoKey;
  let signingKeyObject: KeyObject;
  let publicJwk: Readonly<Record<string, unknown>>;

  before(async () => {
    api = await startTestQueryApi();
    await api.register([
      { id: 1, name: 'One' },
      { id: 2, name: 'Two' },
    ]);
    validToken = (await api.client(1)).token;
    [header, claims] = [decodeProtectedHeader(validToken), decodeJwt(validToken)];
    const key = await readCurrentSigningKey(api.postgres);
    publicJwk = key?.publicJwk ?? {};
    const privateJwk = openPrivateJwk(secretSealer, key!);
    signingKey = (await importJWK(privateJwk, 'ES256')) as CryptoKey;
    signingKeyObject = createPrivateKey({ key: { ...privateJwk }, format: 'jwk' });
    foreignKey = (await generateKeyPair('ES256', { extractable: true })).privateKey;
  });
  after(() => api.close());

  /** The date is fixed, so that a slow request does not change whether a token has expired. */
  let clock: sinon.SinonFakeTimers;
  beforeEach(() => (clock = sinon.useFakeTimers({ now: Date.now(), toFake: ['Date'] })));
  afterEach(() => clock.restore());

  type Changed = Readonly<Record<string, unknown>>;
  const signToken = (own: Changed = {}, head: Changed = {}, key: CryptoKey = signingKey): Promise<string> =>
    new SignJWT({ ...claims, jti: randomUUID(), ...own })
      .setProtectedHeader({ ...header, alg: 'ES256', ...head })
      .sign(key);
  /** Signs any header with the key of the service, also headers that a library would not write. */
  const signedByHand = (head: Changed, body: string, dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363'): string => {
    const text = `${encode({ ...header, ...head })}.${body}`;
    return `${text}.${sign('sha256', Buffer.from(text), { key: signingKeyObject, dsaEncoding }).toString('base64url')}`;
  };
  const parts = () => validToken.split('.') as [string, string, string];
  const status = async (token: string) => (await api.get(anyReport, bearer(token))).status;

  it('would be accepted without the change that makes it a forgery', async () => {
    expect(await status(validToken)).equal(200);
    expect(await status(await signToken())).equal(200);
    expect(await status(await signToken({}, { typ: 'application/at+jwt' }))).equal(200);
    expect(await status(signedByHand({}, encode(claims)))).equal(200);
    expect(await status(await signToken({ network_ids: [1, 1] }))).equal(200);
    // The maximum number of networks of a client, with the longest ids.
    const many = Array.from({ length: 999 }, (_, index) => Number.MAX_SAFE_INTEGER - index);
    expect(await status(await signToken({ network_ids: [1, ...many] }))).equal(200);
    expect(await status(await signToken({ aud: ['other', 'popsvc-reporting'] }))).equal(200);
    expect(await status(await signToken({ exp: now() - 20, iat: now() - 900, nbf: now() + 20 }))).equal(200);
  });

  const forgeries: Readonly<Record<string, () => string | Promise<string>>> = {
    'without signature (alg none)': () => `${encode({ ...header, alg: 'none' })}.${parts()[1]}.`,
    'with alg None and our signature': () => `${encode({ ...header, alg: 'None' })}.${parts()[1]}.${parts()[2]}`,
    'with an empty signature': () => `${parts()[0]}.${parts()[1]}.`,
    'signed by HMAC with the public key of the service': () => {
      const body = `${encode({ ...header, alg: 'HS256' })}.${parts()[1]}`;
      return `${body}.${createHmac('sha256', JSON.stringify(publicJwk)).update(body).digest('base64url')}`;
    },
    'signed by HMAC with an empty secret': () => {
      const body = `${encode({ ...header, alg: 'HS256' })}.${parts()[1]}`;
      return `${body}.${createHmac('sha256', '').update(body).digest('base64url')}`;
    },
    'signed with a foreign key under the key id of the service': () => signToken({}, {}, foreignKey),
    'that brings its own key (jwk)': async () => {
      const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
      return signToken({}, { jwk: await exportJWK(publicKey) }, privateKey);
    },
    'that names where its key is (jku, x5u)': () =>
      signToken({}, { jku: 'http://127.0.0.1:1/jwks', x5u: 'http://127.0.0.1:1/' }, foreignKey),
    'of an unknown key id': () => signToken({}, { kid: 'unknown' }),
    'without key id': () => signToken({}, { kid: undefined }),
    'whose key id is a path': () => signToken({}, { kid: '../../../../dev/null' }),
    'whose key id is SQL': () => signToken({}, { kid: "' OR '1'='1" }),
    'whose key id is very long': () => signToken({}, { kid: 'x'.repeat(4_000) }),
    'of another signature algorithm': async () =>
      signToken({}, { alg: 'ES384' }, (await generateKeyPair('ES384')).privateKey),
    'of type JWT, as an ID token': () => signToken({}, { typ: 'JWT' }),
    'without type': () => signToken({}, { typ: undefined }),
    'with an unknown critical extension': () => signedByHand({ crit: ['x'], x: 1 }, encode(claims)),
    'whose critical extensions are no list': () => signedByHand({ crit: 'b64' }, encode(claims)),
    'whose payload is not encoded (b64)': () => signedByHand({ crit: ['b64'], b64: false }, JSON.stringify(claims)),
    'with a detached payload': () => `${parts()[0]}..${parts()[2]}`,
    'of alg none, with a valid signature': () => signedByHand({ alg: 'none' }, encode(claims)),
    'of alg EdDSA, with a valid signature of the service': () => signedByHand({ alg: 'EdDSA' }, encode(claims)),
    'of alg ES256K, with a valid signature of the service': () => signedByHand({ alg: 'ES256K' }, encode(claims)),
    'of alg es256': () => signedByHand({ alg: 'es256' }, encode(claims)),
    'without alg': () => signedByHand({ alg: undefined }, encode(claims)),
    'signed with a key of Ed25519 under the key id of the service': async () =>
      signToken({}, { alg: 'EdDSA' }, (await generateKeyPair('EdDSA')).privateKey),
    'whose signature is zero': () => `${parts()[0]}.${parts()[1]}.${Buffer.alloc(64).toString('base64url')}`,
    'whose signature is in another encoding': () => signedByHand({}, encode(claims), 'der'),
    'with the signature of another valid token': async () =>
      `${parts()[0]}.${parts()[1]}.${(await signToken()).split('.')[2]}`,
    'that is wrapped in an encrypted one': async () =>
      new CompactEncrypt(Buffer.from(validToken))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', cty: 'JWT', typ: 'at+jwt', kid: String(header.kid) })
        .encrypt(Buffer.alloc(32)),
    'that is wrapped in a signed one': () =>
      signedByHand({ cty: 'JWT' }, Buffer.from(validToken).toString('base64url')),
    'that brings a certificate (x5c)': () => signToken({}, { x5c: ['MIIB'] }, foreignKey),
    'with a tab in it': () => `${parts()[0]}.\t${parts()[1]}.${parts()[2]}`,
    'with an encoded newline after it': () => `${validToken}%0a`,
    'with padding': () => `${validToken}=`,
    'in the alphabet of plain base64': () => `${validToken.slice(0, -1)}/`,
    'of another issuer': () => signToken({ iss: 'https://elsewhere.example' }),
    'without issuer': () => signToken({ iss: undefined }),
    'for another audience': () => signToken({ aud: 'another-service' }),
    'without audience': () => signToken({ aud: undefined }),
    'that expired 31 s ago': () => signToken({ exp: now() - 31 }),
    'without expiry': () => signToken({ exp: undefined }),
    'whose expiry is text': () => signToken({ exp: 'tomorrow' }),
    'not valid yet (nbf)': () => signToken({ nbf: now() + 60 }),
    'issued in the future': () => signToken({ iat: now() + 60 }),
    'without subject': () => signToken({ sub: undefined }),
    'whose subject is a number': () => signToken({ sub: 7 }),
    'without id': () => signToken({ jti: undefined }),
    'without client': () => signToken({ client_id: undefined }),
    'of a client that does not exist': () => signToken({ client_id: 'unknown', sub: 'unknown' }),
    'whose networks are text': () => signToken({ network_ids: '1' }),
    'whose networks are not whole': () => signToken({ network_ids: [1.5] }),
    'whose networks hold text': () => signToken({ network_ids: [1, '2'] }),
    'whose networks are null': () => signToken({ network_ids: null }),
    'whose networks are nested': () => signToken({ network_ids: [[1]] }),
    'whose networks are past 2^53': () => signToken({ network_ids: [2 ** 53] }),
    'whose networks are zero': () => signToken({ network_ids: [0] }),
    'whose networks are negative': () => signToken({ network_ids: [-1] }),
    'whose networks are an object': () => signToken({ network_ids: { 0: 1 } }),
    'whose claims were replaced': () => `${parts()[0]}.${encode({ ...claims, network_ids: [2] })}.${parts()[2]}`,
    'whose header was replaced': () => `${encode({ ...header, x: 1 })}.${parts()[1]}.${parts()[2]}`,
    'with a changed bit of signature': () => {
      const [head, body, signature] = parts();
      return `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    },
    'cut short': () => validToken.slice(0, -5),
    'of two parts': () => parts().slice(0, 2).join('.'),
    'of four parts': () => `${validToken}.x`,
    'of five parts, as if encrypted': () => `${validToken}.x.y`,
    'that is too long': () => signToken({ filler: 'x'.repeat(20_000) }),
    'that is not JSON': () => `${Buffer.from('no').toString('base64url')}.${parts()[1]}.${parts()[2]}`,
    'that is an array': () => `${parts()[0]}.${encode([1])}.${parts()[2]}`,
  };
  for (const [about, forge] of Object.entries(forgeries))
    it(`${about} is refused`, async () => {
      const answer = await api.get(anyReport, bearer(await forge()));
      expect(answer.headers.get('www-authenticate')).match(/^Bearer realm="popsvc", error="invalid_token"/);
      await expectRefused(answer, 401, 'UNAUTHORIZED');
    });

  it('without networks gets 403', async () => {
    for (const network_ids of [[], undefined])
      await expectRefused(
        await api.get(anyReport, bearer(await signToken({ network_ids }))),
        403,
        'FORBIDDEN_NETWORKS',
      );
  });

  it('in the URL or in two headers is refused', async () => {
    for (const headers of [{}, { authorization: 'Basic eDp5' }, bearer('x')])
      await expectRefused(await api.get(`${anyReport}&access_token=${validToken}`, headers), 401, 'UNAUTHORIZED');
    const key = await api.apiKey(1);
    await expectRefused(await api.get(anyReport, { ...bearer(validToken), 'x-api-key': key }), 401, 'UNAUTHORIZED');
  });
});
