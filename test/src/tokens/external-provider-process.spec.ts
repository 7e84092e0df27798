import { openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { expectRefused } from '../query-api/refusals.fixture.ts';
import { bearer, startTestQueryApi, migrateDatabase, type TestQueryApi } from '../query-api/test-query-api.fixture.ts';
import { sharedClickHouse, sharedPostgres } from '../support/engines.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { type IdentityProvider, startIdentityProvider, providerAudience } from './identity-provider.fixture.ts';
import { type QueryApiProcess, startQueryApiProcess } from './query-api-process.fixture.ts';
import { anyReport, requestToken } from './token-requests.fixture.ts';
import { encryptionKey } from '../support/test-sealer.ts';

/** The identity provider and query-api run as processes, as in production. */
describe('the process of an external identity provider', () => {
  let api: TestQueryApi;
  let provider: IdentityProvider;
  let queryApi: QueryApiProcess;
  let start: () => Promise<QueryApiProcess>;

  before(async () => {
    const engine = await sharedClickHouse();
    const databaseUrl = await (await sharedPostgres()).freshDatabase(migrateDatabase);
    const postgres = openPostgres({ url: databaseUrl, name: 'test', log: createLog('test', 'silent') });
    [api, provider] = await Promise.all([startTestQueryApi({ postgres }), startIdentityProvider(2, 1)]);
    await api.register([
      { id: 1, name: 'One' },
      { id: 2, name: 'Two' },
    ]);
    start = () =>
      startQueryApiProcess({
        CLICKHOUSE_URL: `${engine.url}/${api.database}`,
        CLICKHOUSE_USER: engine.reader.username,
        CLICKHOUSE_PASSWORD: engine.reader.password,
        DATABASE_URL: databaseUrl,
        POPSVC_ENCRYPTION_KEY: encryptionKey,
        AUTH_ISSUER: provider.issuer,
        AUTH_JWKS_URL: provider.jwksUrl,
        AUTH_AUDIENCE: providerAudience,
      });
    queryApi = await start();
  });
  after(async () => {
    await Promise.all([queryApi.stop(), provider.stop()]);
    await api.close();
    await api.postgres.end();
  });

  const request = (token: string, path = anyReport, from = queryApi) =>
    fetch(`${from.url}${path}`, { headers: bearer(token) });

  it('issues tokens for the networks in their claim', async () => {
    const token = await provider.token();
    expect(decodeProtectedHeader(token)).include({ typ: 'at+jwt', alg: 'ES256' });
    expect(decodeJwt(token)).deep.include({ aud: providerAudience, client_id: 'partner', network_ids: [2, 1] });
    expect((await request(token)).status).equal(200);
    const answer = await request(token, '/api/v1/metric-definitions');
    const { data } = (await answer.json()) as { data: { rows: { network_id: number }[] } };
    expect(data.rows[0]?.network_id, 'the first of the claim').equal(2);
    const named = await fetch(`${queryApi.url}${anyReport}`, {
      headers: { ...bearer(token), 'x-network-name': 'elsewhere' },
    });
    await expectRefused(named, 401, 'UNAUTHORIZED', 'X-Network-Name');
  });

  it('does not issue accepted tokens for another audience, and tokens of the built-in provider are refused', async () => {
    await expectRefused(await request(await provider.token('https://elsewhere.example/')), 401, 'UNAUTHORIZED');
    await expectRefused(await request((await api.client(1)).token), 401, 'UNAUTHORIZED');
    await expectRefused(await api.get(anyReport, bearer(await provider.token())), 401, 'UNAUTHORIZED');
    const form = { grant_type: 'client_credentials', client_id: 'partner', client_secret: 'x' };
    await expectRefused(await requestToken({ url: queryApi.url }, form), 404, 'NOT_FOUND');
  });

  it('can change its signing key and withdraw the old one', async () => {
    const before = await provider.token();
    expect((await request(before)).status).equal(200);
    await provider.rotate();
    const fresh = await provider.token();
    expect(decodeProtectedHeader(fresh).kid).not.equal(decodeProtectedHeader(before).kid);
    // The keys were read a moment ago, so that the first requests may still be refused.
    await waitUntil(
      async () => (await request(fresh)).status,
      (status) => status === 200,
    );
    expect((await request(before)).status).equal(200);
    await provider.dropOldKeys();
    expect((await request(await provider.token())).status).equal(200);
  });

  it('can stop: processes that have read its keys continue, others respond 503', async () => {
    const [one, two, three] = [await provider.token(), await provider.token(), await provider.token()];
    expect((await request(one)).status).equal(200);
    await provider.stop();
    expect([(await request(one)).status, (await request(two)).status], 'seen and not seen before').deep.equal([
      200, 200,
    ]);
    const withoutKeys = await start();
    const answer = await request(three, anyReport, withoutKeys);
    expect(answer.headers.get('retry-after')).match(/^\d+$/);
    await expectRefused(answer, 503, 'UNAVAILABLE');
    expect(withoutKeys.output()).not.contain(three).and.not.contain(three.split('.')[2]);
    await withoutKeys.stop();
  });
});
