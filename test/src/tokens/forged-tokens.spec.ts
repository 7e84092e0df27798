import { createHmac, createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { expect } from 'chai';
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
import { readCurrentSigningKey } from '@popsvc/platform/postgres';
import { expectRefused } from '../query-api/refusals.fixture.ts';
import { bearer, openWorld, type World } from '../query-api/world.fixture.ts';
import { anyReport } from './token-requests.fixture.ts';

const coded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);

describe('a forged token', () => {
  let world: World;
  let good: string;
  let header: ReturnType<typeof decodeProtectedHeader>;
  let claims: JWTPayload;
  let ours: CryptoKey;
  let others: CryptoKey;
  let ourKey: KeyObject;
  let publicJwk: Readonly<Record<string, unknown>>;

  before(async () => {
    world = await openWorld();
    await world.register([
      { id: 1, name: 'One' },
      { id: 2, name: 'Two' },
    ]);
    good = (await world.client(1)).token;
    [header, claims] = [decodeProtectedHeader(good), decodeJwt(good)];
    const key = await readCurrentSigningKey(world.postgres);
    publicJwk = key?.publicJwk ?? {};
    ours = (await importJWK(key?.privateJwk ?? {}, 'ES256')) as CryptoKey;
    ourKey = createPrivateKey({ key: { ...key?.privateJwk }, format: 'jwk' });
    others = (await generateKeyPair('ES256', { extractable: true })).privateKey;
  });
  after(() => world.close());

  type Changed = Readonly<Record<string, unknown>>;
  const signed = (own: Changed = {}, head: Changed = {}, key: CryptoKey = ours): Promise<string> =>
    new SignJWT({ ...claims, jti: randomUUID(), ...own })
      .setProtectedHeader({ ...header, alg: 'ES256', ...head })
      .sign(key);
  /** Signed with our key, whatever the header says: what a library would not write. */
  const signedByHand = (head: Changed, body: string, dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363'): string => {
    const text = `${coded({ ...header, ...head })}.${body}`;
    return `${text}.${sign('sha256', Buffer.from(text), { key: ourKey, dsaEncoding }).toString('base64url')}`;
  };
  const parts = () => good.split('.') as [string, string, string];
  const status = async (token: string) => (await world.get(anyReport, bearer(token))).status;

  it('would be good if it were ours (so what follows tests what it says)', async () => {
    expect(await status(good)).equal(200);
    expect(await status(await signed())).equal(200);
    expect(await status(await signed({}, { typ: 'application/at+jwt' }))).equal(200);
    expect(await status(signedByHand({}, coded(claims)))).equal(200);
    expect(await status(await signed({ network_ids: [1, 1] }))).equal(200);
    expect(await status(await signed({ aud: ['other', 'popsvc-reporting'] }))).equal(200);
    expect(await status(await signed({ exp: now() - 20, iat: now() - 900, nbf: now() + 20 }))).equal(200);
  });

  const forgeries: Readonly<Record<string, () => string | Promise<string>>> = {
    'without signature (alg none)': () => `${coded({ ...header, alg: 'none' })}.${parts()[1]}.`,
    'with alg None and our signature': () => `${coded({ ...header, alg: 'None' })}.${parts()[1]}.${parts()[2]}`,
    'with an empty signature': () => `${parts()[0]}.${parts()[1]}.`,
    'signed by HMAC with our public key': () => {
      const body = `${coded({ ...header, alg: 'HS256' })}.${parts()[1]}`;
      return `${body}.${createHmac('sha256', JSON.stringify(publicJwk)).update(body).digest('base64url')}`;
    },
    'signed by HMAC with an empty secret': () => {
      const body = `${coded({ ...header, alg: 'HS256' })}.${parts()[1]}`;
      return `${body}.${createHmac('sha256', '').update(body).digest('base64url')}`;
    },
    "signed with somebody else's key under our key id": () => signed({}, {}, others),
    'that brings its own key (jwk)': async () => {
      const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
      return signed({}, { jwk: await exportJWK(publicKey) }, privateKey);
    },
    'that names where its key is (jku, x5u)': () =>
      signed({}, { jku: 'http://127.0.0.1:1/jwks', x5u: 'http://127.0.0.1:1/' }, others),
    'of an unknown key id': () => signed({}, { kid: 'unknown' }),
    'without key id': () => signed({}, { kid: undefined }),
    'whose key id is a path': () => signed({}, { kid: '../../../../dev/null' }),
    'whose key id is SQL': () => signed({}, { kid: "' OR '1'='1" }),
    'whose key id is endless': () => signed({}, { kid: 'x'.repeat(4_000) }),
    'of another signature algorithm': async () =>
      signed({}, { alg: 'ES384' }, (await generateKeyPair('ES384')).privateKey),
    'of type JWT, as an ID token': () => signed({}, { typ: 'JWT' }),
    'without type': () => signed({}, { typ: undefined }),
    'with a critical extension nobody knows': () => signedByHand({ crit: ['x'], x: 1 }, coded(claims)),
    'whose critical extensions are no list': () => signedByHand({ crit: 'b64' }, coded(claims)),
    'whose payload is not encoded (b64)': () => signedByHand({ crit: ['b64'], b64: false }, JSON.stringify(claims)),
    'whose payload is elsewhere': () => `${parts()[0]}..${parts()[2]}`,
    'of alg none, with a good signature': () => signedByHand({ alg: 'none' }, coded(claims)),
    'of alg EdDSA, with a good signature of ours': () => signedByHand({ alg: 'EdDSA' }, coded(claims)),
    'of alg ES256K, with a good signature of ours': () => signedByHand({ alg: 'ES256K' }, coded(claims)),
    'of alg es256': () => signedByHand({ alg: 'es256' }, coded(claims)),
    'without alg': () => signedByHand({ alg: undefined }, coded(claims)),
    'signed with a key of Ed25519 under our key id': async () =>
      signed({}, { alg: 'EdDSA' }, (await generateKeyPair('EdDSA')).privateKey),
    'whose signature is zero': () => `${parts()[0]}.${parts()[1]}.${Buffer.alloc(64).toString('base64url')}`,
    'whose signature is in another encoding': () => signedByHand({}, coded(claims), 'der'),
    'with the signature of another good token': async () =>
      `${parts()[0]}.${parts()[1]}.${(await signed()).split('.')[2]}`,
    'that is wrapped in an encrypted one': async () =>
      new CompactEncrypt(Buffer.from(good))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', cty: 'JWT', typ: 'at+jwt', kid: String(header.kid) })
        .encrypt(Buffer.alloc(32)),
    'that is wrapped in a signed one': () => signedByHand({ cty: 'JWT' }, Buffer.from(good).toString('base64url')),
    'that brings a certificate (x5c)': () => signed({}, { x5c: ['MIIB'] }, others),
    'with a tab in it': () => `${parts()[0]}.\t${parts()[1]}.${parts()[2]}`,
    'with an encoded newline after it': () => `${good}%0a`,
    'with padding': () => `${good}=`,
    'in the alphabet of plain base64': () => `${good.slice(0, -1)}/`,
    'of another issuer': () => signed({ iss: 'https://elsewhere.example' }),
    'without issuer': () => signed({ iss: undefined }),
    'for another audience': () => signed({ aud: 'another-service' }),
    'without audience': () => signed({ aud: undefined }),
    'that expired 31 s ago': () => signed({ exp: now() - 31 }),
    'without expiry': () => signed({ exp: undefined }),
    'whose expiry is text': () => signed({ exp: 'tomorrow' }),
    'not good yet (nbf)': () => signed({ nbf: now() + 60 }),
    'issued in the future': () => signed({ iat: now() + 60 }),
    'without subject': () => signed({ sub: undefined }),
    'whose subject is a number': () => signed({ sub: 7 }),
    'without id': () => signed({ jti: undefined }),
    'without client': () => signed({ client_id: undefined }),
    'of a client that does not exist': () => signed({ client_id: 'nobody', sub: 'nobody' }),
    'whose networks are text': () => signed({ network_ids: '1' }),
    'whose networks are not whole': () => signed({ network_ids: [1.5] }),
    'whose networks hold text': () => signed({ network_ids: [1, '2'] }),
    'whose networks are null': () => signed({ network_ids: null }),
    'whose networks are nested': () => signed({ network_ids: [[1]] }),
    'whose networks are past 2^53': () => signed({ network_ids: [2 ** 53] }),
    'whose networks are zero': () => signed({ network_ids: [0] }),
    'whose networks are negative': () => signed({ network_ids: [-1] }),
    'whose networks are an object': () => signed({ network_ids: { 0: 1 } }),
    'whose claims were exchanged': () => `${parts()[0]}.${coded({ ...claims, network_ids: [2] })}.${parts()[2]}`,
    'whose header was exchanged': () => `${coded({ ...header, x: 1 })}.${parts()[1]}.${parts()[2]}`,
    'with a changed bit of signature': () => {
      const [head, body, signature] = parts();
      return `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    },
    'cut short': () => good.slice(0, -5),
    'of two parts': () => parts().slice(0, 2).join('.'),
    'of four parts': () => `${good}.x`,
    'of five parts, as if encrypted': () => `${good}.x.y`,
    'that is too long': () => signed({ filler: 'x'.repeat(8_192) }),
    'that is not JSON': () => `${Buffer.from('no').toString('base64url')}.${parts()[1]}.${parts()[2]}`,
    'that is an array': () => `${parts()[0]}.${coded([1])}.${parts()[2]}`,
  };
  for (const [about, forge] of Object.entries(forgeries))
    it(`${about} is refused`, async () => {
      const answer = await world.get(anyReport, bearer(await forge()));
      expect(answer.headers.get('www-authenticate')).match(/^Bearer realm="popsvc", error="invalid_token"/);
      await expectRefused(answer, 401, 'UNAUTHORIZED');
    });

  it('with no networks is let in nowhere', async () => {
    for (const network_ids of [[], undefined])
      await expectRefused(await world.get(anyReport, bearer(await signed({ network_ids }))), 403, 'FORBIDDEN_NETWORKS');
  });

  it('in the address or in two headers is not looked at', async () => {
    for (const headers of [{}, { authorization: 'Basic eDp5' }, bearer('x')])
      await expectRefused(await world.get(`${anyReport}&access_token=${good}`, headers), 401, 'UNAUTHORIZED');
    const key = await world.apiKey(1);
    await expectRefused(await world.get(anyReport, { ...bearer(good), 'x-api-key': key }), 401, 'UNAUTHORIZED');
  });
});
