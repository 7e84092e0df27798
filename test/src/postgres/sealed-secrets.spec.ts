import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { createClient, openPrivateJwk, rotateSigningKey } from '@popsvc/http-kit/auth/tokens';
import {
  createSecretSealer,
  fillDatabase,
  insertWebhook,
  lockKeys,
  migrate,
  openPostgres,
  openWebhookSecret,
  type Postgres,
  readCurrentSigningKey,
  rotateWebhookSecret,
  sealSecretsInClear,
  SealedSecretError,
  tryWithLock,
} from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { createWebhookSecret } from '@popsvc/platform/webhook-requests';
import { expect } from 'chai';
import { calculateJwkThumbprint, type CryptoKey, decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { bearer, startTestQueryApi, type TestQueryApi } from '../query-api/test-query-api.fixture.ts';
import { sharedPostgres } from '../support/engines.ts';
import { encryptionKey, secretSealer } from '../support/test-sealer.ts';
import { anyReport, requestToken } from '../tokens/token-requests.fixture.ts';

const log = createLog('test', 'silent');

const tablesOf = async (postgres: Postgres): Promise<readonly string[]> =>
  (
    await postgres.query<{ name: string }>("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
  ).rows.map(({ name }) => name);

/** Returns the tables with a row that contains a text, as text or as bytes. */
const findTablesWith = async (postgres: Postgres, text: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const name of await tablesOf(postgres)) {
    const { rows } = await postgres.query(
      `SELECT FROM ${name} r WHERE position($1 IN r::text) > 0 OR position($2 IN r::text) > 0`,
      [text, Buffer.from(text).toString('hex')],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
};

const failureOf = (open: () => unknown): string => {
  try {
    open();
  } catch (error) {
    expect(error).to.be.instanceOf(SealedSecretError);
    return (error as Error).message;
  }
  return 'it was opened';
};

describe('a sealed secret', () => {
  const row = { table: 'webhook_secrets', id: '7' };

  it('opens for its row with its key, and differs each time', () => {
    for (const secret of ['', 'a secret', 'ß€🔑', 'x'.repeat(5_000)]) {
      const [first, second] = [secretSealer.seal(row, secret), secretSealer.seal(row, secret)];
      expect(createSecretSealer(encryptionKey).open(row, first)).to.equal(secret);
      expect(secretSealer.open(row, second)).to.equal(secret);
      expect(first).to.not.equal(second);
    }
  });

  it('does not open with another key, and names the variable to restore', () => {
    const other = createSecretSealer('another-key-of-at-least-32-characters');
    expect(failureOf(() => other.open(row, secretSealer.seal(row, 'a secret'))))
      .to.include('the encryption key differs from the one that sealed the secret in the row 7 of webhook_secrets')
      .and.include('restore POPSVC_ENCRYPTION_KEY');
  });

  it('does not open in another row or table', () => {
    const sealed = secretSealer.seal(row, 'a secret');
    for (const moved of [
      { ...row, id: '8' },
      { ...row, table: 'signing_keys' },
    ])
      expect(failureOf(() => secretSealer.open(moved, sealed))).to.include('is damaged or was copied from another row');
  });

  it('does not open if any byte was changed or is missing', () => {
    const bytes = Buffer.from(secretSealer.seal(row, 'a secret'), 'base64');
    for (const [index, byte] of bytes.entries()) {
      const tampered = Buffer.from(bytes);
      tampered[index] = byte ^ 1;
      expect(
        failureOf(() => secretSealer.open(row, tampered.toString('base64'))),
        String(index),
      ).to.include('the row 7 of webhook_secrets');
      const cut = bytes.subarray(0, index).toString('base64');
      expect(
        failureOf(() => secretSealer.open(row, cut)),
        `the first ${index}`,
      ).to.include('is damaged');
    }
  });
});

describe('secrets in PostgreSQL', () => {
  let api: TestQueryApi;
  before(async () => {
    api = await startTestQueryApi();
    await api.register([{ id: 1, name: 'One' }]);
  });
  after(() => api.close());

  const privateKeyPart = async (): Promise<string> =>
    openPrivateJwk(secretSealer, (await readCurrentSigningKey(api.postgres))!).d!;

  it('are never stored in clear', async () => {
    const { postgres } = api;
    await api.client(1);
    const secrets = [await privateKeyPart()];
    await rotateSigningKey(postgres, secretSealer);
    secrets.push(await privateKeyPart());
    const [first, next] = [createWebhookSecret(), createWebhookSecret()];
    const given = { networkId: 1, url: 'https://example.com/hook', types: ['job.finished'] as const, secret: first };
    const webhook = await insertWebhook(postgres, secretSealer, given, 20);
    if (typeof webhook === 'string') throw new Error(webhook);
    await rotateWebhookSecret(postgres, secretSealer, webhook.id, {}, { secret: next, overlapSeconds: 3_600 });
    secrets.push(first, next);
    expect(new Set(secrets).size).to.equal(4);
    for (const secret of secrets) expect(await findTablesWith(postgres, secret)).to.deep.equal([]);
    // The search finds what is stored in clear.
    expect(await findTablesWith(postgres, webhook.url)).to.deep.equal(['webhook_subscriptions']);
  });

  it('are of no use with another key until they are rotated', async () => {
    await api.client(1);
    const { client, clientSecret } = await createClient(api.postgres, { networkIds: [1] });
    const changed = createSecretSealer('the-key-of-the-operator-was-changed');
    const other = await startTestQueryApi({ postgres: api.postgres, secretSealer: changed });
    await other.register([{ id: 1, name: 'One' }]);
    const issue = () =>
      requestToken(other, {
        grant_type: 'client_credentials',
        client_id: client.clientId,
        client_secret: clientSecret,
      });
    expect((await issue()).status).to.equal(500);
    expect(await rotateSigningKey(api.postgres, changed)).to.equal(true);
    expect((await issue()).status).to.equal(200);
    await other.close();
  });
});

/** Tables of an earlier release, with a signing key and the secrets of a webhook in clear. */
describe('secrets that an earlier release stored in clear', () => {
  const webhook = randomUUID();
  const [current, expiring] = [createWebhookSecret(), createWebhookSecret()];
  let postgres: Postgres;
  let privateKey: CryptoKey;
  let kid: string;
  let publicJwk: object;
  let privatePart: string;
  const isInClear = async () =>
    (await Promise.all([privatePart, current, expiring].map((text) => findTablesWith(postgres, text)))).flat();

  before(async () => {
    const server = await sharedPostgres();
    const keys = await generateKeyPair('ES256', { extractable: true });
    privateKey = keys.privateKey;
    kid = await calculateJwkThumbprint(await exportJWK(keys.publicKey));
    publicJwk = { ...(await exportJWK(keys.publicKey)), kid, alg: 'ES256', use: 'sig' };
    const privateJwk = await exportJWK(keys.privateKey);
    privatePart = privateJwk.d!;
    const empty = openPostgres({ url: await server.freshDatabase(), log, name: 'test' });
    const migrations = (await migrate(empty)).filter((name) => name < '0015');
    await empty.end();
    const url = await server.freshDatabase();
    const rows: Readonly<Record<string, readonly (readonly string[])[]>> = {
      signing_keys: [[kid, 'ES256', JSON.stringify(publicJwk), JSON.stringify(privateJwk)]],
      webhook_subscriptions: [[webhook, '1', 'https://example.com/hook', '{job.finished}']],
      webhook_secrets: [
        [webhook, current, '2026-08-20T00:00:00Z', '\\N'],
        [webhook, expiring, '2026-08-19T00:00:00Z', '2026-08-21T00:00:00Z'],
      ],
    };
    const tables = [
      { name: 'signing_keys', columns: ['kid', 'algorithm', 'public_jwk', 'private_jwk'] },
      { name: 'webhook_subscriptions', columns: ['id', 'network_id', 'url', 'types'] },
      { name: 'webhook_secrets', columns: ['subscription_id', 'secret', 'created_at', 'expires_at'] },
    ];
    await fillDatabase(url, { migrations, tables, sequences: [] }, ({ name }) =>
      Readable.from(rows[name]!.map((row) => `${row.join('\t')}\n`)),
    );
    postgres = openPostgres({ url, log, name: 'test' });
  });
  after(() => postgres.end());

  it('are found in clear before the start', async () => {
    expect(await isInClear()).to.deep.equal(['signing_keys', 'webhook_secrets', 'webhook_secrets']);
  });

  it('are sealed by the first start with the key, also if several processes start while a registry file is applied', async () => {
    expect(await migrate(postgres)).to.include('0015-sealed-secrets');
    const sealInThree = () => Promise.all([1, 2, 3].map(() => sealSecretsInClear(postgres, secretSealer)));
    await tryWithLock(postgres, lockKeys.registry, sealInThree);
    expect(await isInClear()).to.deep.equal([]);
    expect(await tablesOf(postgres)).to.not.include('webhook_secrets_in_clear');
    const { rows } = await postgres.query<{ id: string; sealed: string; created: string; expires: string | null }>(
      `SELECT id, sealed_secret AS sealed, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS created,
         to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS expires
       FROM webhook_secrets WHERE subscription_id = $1 ORDER BY created_at DESC`,
      [webhook],
    );
    expect(
      rows.map(({ created, expires, ...row }) => [openWebhookSecret(secretSealer, row), created, expires]),
    ).to.deep.equal([
      [current, '2026-08-20', null],
      [expiring, '2026-08-19', '2026-08-21'],
    ]);
  });

  it('end, if they are signing keys, with their tokens', async () => {
    const api = await startTestQueryApi({ postgres });
    await api.register([{ id: 1, name: 'One' }]);
    const { token } = await api.client(1);
    const old = await new SignJWT({ ...decodeJwt(token) })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
      .sign(privateKey);
    const statusOf = async (text: string) => (await api.get(anyReport, bearer(text))).status;
    expect([await statusOf(old), await statusOf(token)]).to.deep.equal([401, 200]);
    expect((await readCurrentSigningKey(postgres))?.kid).to.not.equal(kid);
    expect(await isInClear()).to.deep.equal([]);
    // Only because the key ended: with its public key, the token is valid.
    await postgres.query(
      `INSERT INTO signing_keys (kid, algorithm, public_jwk, public_until) VALUES ($1, 'ES256', $2, now() + interval '1 hour')`,
      [kid, publicJwk],
    );
    const second = await startTestQueryApi({ postgres });
    await second.register([{ id: 1, name: 'One' }]);
    expect((await second.get(anyReport, bearer(old))).status).to.equal(200);
    await second.close();
    await api.close();
  });
});
