import { coffee } from '@popsvc/read-models/tables';
import { openClickHouseReader } from '@popsvc/platform/clickhouse';
import { openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { faultProxy } from '../faults/fault-proxy.fixture.ts';
import { sharedClickHouse, sharedPostgres } from '../support/engines.ts';
import { askToken } from '../tokens/token-requests.fixture.ts';
import { expectRefused } from './refusals.fixture.ts';
import { coffeeRow } from './rows.fixture.ts';
import { bearer, openWorld, prepared } from './world.fixture.ts';

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';
/** Nobody listens there. */
const nowhere = 'http://127.0.0.1:1/popsvc_none';

describe('what the reporting service needs, away', () => {
  const expectAway = async (answer: Response) => {
    expect(answer.headers.get('retry-after')).match(/^\d+$/);
    await expectRefused(answer, 503, 'UNAVAILABLE');
  };

  it('is told with 503 when it is ClickHouse', async () => {
    const reader = openClickHouseReader({ url: nowhere, username: 'x', password: 'x' });
    const world = await openWorld({ reader });
    const { token } = await world.client(1);
    for (const path of ['coffee', 'coffee/download', 'watcher-summary', 'watcher-summary/download'])
      await expectAway(await world.get(`/api/v1/${path}?${window}`, bearer(token)));
    await expectAway(await world.get('/api/v1/metric-definitions', bearer(token)));
    const ready = await expectRefused(await world.get('/readyz', {}), 503, 'UNAVAILABLE', 'clickhouse');
    expect(ready.message).not.match(/127|ECONN/);
    expect((await world.get('/healthz', {})).status).equal(200);
    await world.close();
    await reader.close();
  });

  it('is told with 503 when ClickHouse has not its tables yet', async () => {
    const world = await openWorld();
    await world.register([{ id: 1, name: 'One' }]);
    const { token } = await world.client(1);
    await world.writer.run('DROP VIEW coffee_live');
    for (const path of ['coffee', 'coffee/download'])
      await expectAway(await world.get(`/api/v1/${path}?${window}`, bearer(token)));
    expect((await world.get(`/api/v1/watcher-summary?${window}`, bearer(token))).status).equal(200);
    await world.close();
  });

  it('cuts a download when ClickHouse is lost midway', async () => {
    const engine = await sharedClickHouse();
    const passage = await faultProxy(engine.url);
    const database = await engine.database();
    const reader = openClickHouseReader({ url: `${passage.url}/${database}`, ...engine.reader });
    const world = await openWorld({ reader, database });
    await world.register([{ id: 1, name: 'One' }]);
    const rows = Array.from({ length: 30_000 }, (_, number) => coffeeRow({ network_id: 1, number }));
    await world.insert(coffee, rows);
    const { token } = await world.client(1);
    const answer = await world.get(`/api/v1/coffee/download?${window}`, bearer(token));
    expect(answer.status).equal(200);
    const reading = answer.body?.getReader();
    await reading?.read();
    passage.cut();
    const failure = await (async () => {
      while (!(await reading?.read())?.done);
    })().catch((error: unknown) => error);
    expect(failure, 'the transfer was broken').instanceOf(Error);
    await world.close();
    await reader.close();
    await passage.close();
  });

  it('goes on for credentials just verified when it is PostgreSQL, and is a 503 for others', async () => {
    const log = createLog('test', 'silent');
    const postgres = openPostgres({ url: await (await sharedPostgres()).freshDatabase(prepared), name: 'test', log });
    const world = await openWorld({ postgres });
    await world.register([{ id: 1, name: 'One' }]);
    const [known, other] = [await world.client(1), await world.client(1)];
    const key = await world.apiKey(1);
    const used = [bearer(known.token), { 'x-api-key': key }];
    for (const headers of used) expect((await world.get(`/api/v1/coffee?${window}`, headers)).status).equal(200);
    await postgres.end();
    for (const headers of used) expect((await world.get(`/api/v1/coffee?${window}`, headers)).status).equal(200);
    await expectAway(await world.get(`/api/v1/coffee?${window}`, bearer(other.token)));
    const form = { grant_type: 'client_credentials', client_id: known.clientId, client_secret: known.clientSecret };
    const answer = await askToken(world, form);
    expect(answer.status).equal(503);
    expect(await answer.json()).include({ error: 'temporarily_unavailable' });
    await expectRefused(await world.get('/readyz', {}), 503, 'UNAVAILABLE', 'postgresql');
    await world.close();
  });
});
