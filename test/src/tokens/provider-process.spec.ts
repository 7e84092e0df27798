import { openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { expectRefused } from '../query-api/refusals.fixture.ts';
import { bearer, openWorld, prepared, type World } from '../query-api/world.fixture.ts';
import { sharedClickHouse, sharedPostgres } from '../support/engines.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { type IdentityProvider, identityProvider, theirAudience } from './identity-provider.fixture.ts';
import { type ReportsProcess, startReports } from './reports-process.fixture.ts';
import { anyReport, askToken } from './token-requests.fixture.ts';

/** Everything in processes of its own, as it is where it runs: their provider, our service, and nothing of ours in between. */
describe('the process of an external identity provider', () => {
  let world: World;
  let theirs: IdentityProvider;
  let reports: ReportsProcess;
  let start: () => Promise<ReportsProcess>;

  before(async () => {
    const engine = await sharedClickHouse();
    const databaseUrl = await (await sharedPostgres()).freshDatabase(prepared);
    const postgres = openPostgres({ url: databaseUrl, name: 'test', log: createLog('test', 'silent') });
    [world, theirs] = await Promise.all([openWorld({ postgres }), identityProvider(2, 1)]);
    await world.register([
      { id: 1, name: 'One' },
      { id: 2, name: 'Two' },
    ]);
    start = () =>
      startReports({
        CLICKHOUSE_URL: `${engine.url}/${world.database}`,
        CLICKHOUSE_USER: engine.reader.username,
        CLICKHOUSE_PASSWORD: engine.reader.password,
        DATABASE_URL: databaseUrl,
        AUTH_ISSUER: theirs.issuer,
        AUTH_JWKS_URL: theirs.jwksUrl,
        AUTH_AUDIENCE: theirAudience,
      });
    reports = await start();
  });
  after(async () => {
    await Promise.all([reports.stop(), theirs.stop()]);
    await world.close();
    await world.postgres.end();
  });

  const ask = (token: string, path = anyReport, from = reports) =>
    fetch(`${from.url}${path}`, { headers: bearer(token) });

  it('lets its clients read, in the networks its claim names', async () => {
    const token = await theirs.token();
    expect(decodeProtectedHeader(token)).include({ typ: 'at+jwt', alg: 'ES256' });
    expect(decodeJwt(token)).deep.include({ aud: theirAudience, client_id: 'partner', network_ids: [2, 1] });
    expect((await ask(token)).status).equal(200);
    const answer = await ask(token, '/api/v1/metric-definitions');
    const { data } = (await answer.json()) as { data: { rows: { network_id: number }[] } };
    expect(data.rows[0]?.network_id, 'the first of the claim').equal(2);
    const named = await fetch(`${reports.url}${anyReport}`, {
      headers: { ...bearer(token), 'x-network-name': 'elsewhere' },
    });
    await expectRefused(named, 401, 'UNAUTHORIZED', 'X-Network-Name');
  });

  it('is refused for another audience, and so are our own tokens', async () => {
    await expectRefused(await ask(await theirs.token('https://elsewhere.example/')), 401, 'UNAUTHORIZED');
    await expectRefused(await ask((await world.client(1)).token), 401, 'UNAUTHORIZED');
    await expectRefused(await world.get(anyReport, bearer(await theirs.token())), 401, 'UNAUTHORIZED');
    const form = { grant_type: 'client_credentials', client_id: 'partner', client_secret: 'x' };
    await expectRefused(await askToken({ url: reports.url }, form), 404, 'NOT_FOUND');
  });

  it('may sign with a new key while we run, and take the old one back', async () => {
    const before = await theirs.token();
    expect((await ask(before)).status).equal(200);
    await theirs.rotate();
    const fresh = await theirs.token();
    expect(decodeProtectedHeader(fresh).kid).not.equal(decodeProtectedHeader(before).kid);
    // Keys were read a moment ago; a token that comes too early for that is not held against it.
    await waitUntil(
      async () => (await ask(fresh)).status,
      (status) => status === 200,
      3_000,
    );
    expect((await ask(before)).status).equal(200);
    await theirs.forget();
    expect((await ask(await theirs.token())).status).equal(200);
  });

  it('may go away: keys that were read go on, and who never read them says so', async () => {
    const [one, two, three] = [await theirs.token(), await theirs.token(), await theirs.token()];
    expect((await ask(one)).status).equal(200);
    await theirs.stop();
    expect([(await ask(one)).status, (await ask(two)).status], 'seen and not seen before').deep.equal([200, 200]);
    const blind = await start();
    const answer = await ask(three, anyReport, blind);
    expect(answer.headers.get('retry-after')).match(/^\d+$/);
    await expectRefused(answer, 503, 'UNAVAILABLE');
    expect(blind.output()).not.contain(three).and.not.contain(three.split('.')[2]);
    await blind.stop();
  });
});
