import { coffee } from '@popsvc/read-models/tables';
import { openClickHouseReader } from '@popsvc/platform/clickhouse';
import { openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { startFaultProxy } from '../faults/fault-proxy.fixture.ts';
import { sharedClickHouse, sharedPostgres } from '../support/engines.ts';
import { requestToken } from '../tokens/token-requests.fixture.ts';
import { expectRefused } from './refusals.fixture.ts';
import { coffeeRow } from './rows.fixture.ts';
import { bearer, startTestQueryApi, migrateDatabase } from './test-query-api.fixture.ts';

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';
/** No server listens on this port. */
const unreachableUrl = 'http://127.0.0.1:1/popsvc_none';

describe('query-api during an outage', () => {
  const expectUnavailable = async (answer: Response) => {
    expect(answer.headers.get('retry-after')).match(/^\d+$/);
    await expectRefused(answer, 503, 'UNAVAILABLE');
  };

  it('responds 503 while ClickHouse is unavailable', async () => {
    const reader = openClickHouseReader({ url: unreachableUrl, username: 'x', password: 'x' });
    const api = await startTestQueryApi({ reader });
    const { token } = await api.client(1);
    for (const path of ['coffee', 'coffee/download', 'watcher-summary', 'watcher-summary/download'])
      await expectUnavailable(await api.get(`/api/v1/${path}?${window}`, bearer(token)));
    await expectUnavailable(await api.get('/api/v1/metric-definitions', bearer(token)));
    const ready = await expectRefused(await api.get('/readyz', {}), 503, 'UNAVAILABLE', 'clickhouse');
    expect(ready.message).not.match(/127|ECONN/);
    expect((await api.get('/healthz', {})).status).equal(200);
    await api.close();
    await reader.close();
  });

  it('responds 503 while a table does not exist', async () => {
    const api = await startTestQueryApi();
    await api.register([{ id: 1, name: 'One' }]);
    const { token } = await api.client(1);
    await api.writer.run('DROP VIEW coffee_live');
    for (const path of ['coffee', 'coffee/download'])
      await expectUnavailable(await api.get(`/api/v1/${path}?${window}`, bearer(token)));
    expect((await api.get(`/api/v1/watcher-summary?${window}`, bearer(token))).status).equal(200);
    await api.close();
  });

  it('truncates a download when the connection to ClickHouse breaks', async () => {
    const engine = await sharedClickHouse();
    const proxy = await startFaultProxy(engine.url);
    const database = await engine.database();
    const reader = openClickHouseReader({ url: `${proxy.url}/${database}`, ...engine.reader });
    const api = await startTestQueryApi({ reader, database });
    await api.register([{ id: 1, name: 'One' }]);
    const rows = Array.from({ length: 30_000 }, (_, number) => coffeeRow({ network_id: 1, number }));
    await api.insert(coffee, rows);
    const { token } = await api.client(1);
    const answer = await api.get(`/api/v1/coffee/download?${window}`, bearer(token));
    expect(answer.status).equal(200);
    const reading = answer.body?.getReader();
    await reading?.read();
    proxy.cut();
    const failure = await (async () => {
      while (!(await reading?.read())?.done);
    })().catch((error: unknown) => error);
    expect(failure, 'the transfer was broken').instanceOf(Error);
    await api.close();
    await reader.close();
    await proxy.close();
  });

  it('serves verified credentials and responds 503 to others while PostgreSQL is unavailable', async () => {
    const log = createLog('test', 'silent');
    const postgres = openPostgres({
      url: await (await sharedPostgres()).freshDatabase(migrateDatabase),
      name: 'test',
      log,
    });
    const api = await startTestQueryApi({ postgres });
    await api.register([{ id: 1, name: 'One' }]);
    const [known, other] = [await api.client(1), await api.client(1)];
    const key = await api.apiKey(1);
    const used = [bearer(known.token), { 'x-api-key': key }];
    for (const headers of used) expect((await api.get(`/api/v1/coffee?${window}`, headers)).status).equal(200);
    await postgres.end();
    for (const headers of used) expect((await api.get(`/api/v1/coffee?${window}`, headers)).status).equal(200);
    await expectUnavailable(await api.get(`/api/v1/coffee?${window}`, bearer(other.token)));
    const form = { grant_type: 'client_credentials', client_id: known.clientId, client_secret: known.clientSecret };
    const answer = await requestToken(api, form);
    expect(answer.status).equal(503);
    expect(await answer.json()).include({ error: 'temporarily_unavailable' });
    await expectRefused(await api.get('/readyz', {}), 503, 'UNAVAILABLE', 'postgresql');
    await api.close();
  });
});
