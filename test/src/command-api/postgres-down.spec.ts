import { openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectApiError, play, popPath } from './sender.fixture.ts';

/** Closes one database of the server: its connections end and new ones are refused, as when PostgreSQL is down. */
const shut = async (databaseUrl: string) => {
  const name = new URL(databaseUrl).pathname.slice(1);
  const url = new URL('/postgres', databaseUrl).href;
  const server = openPostgres({ url, log: createLog('test', 'silent'), name: 'test' });
  await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  // PostgreSQL has connections of its own, too, which this role may not end. The call waits until each connection has ended.
  await server.query(
    `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`,
    [name],
  );
  return async () => {
    await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await server.end();
  };
};

describe('command-api: without PostgreSQL', function () {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi();
  });
  after(() => api.close());

  it('accepts keys it has verified, responds 503 to others and to idempotency keys, and recovers', async () => {
    const unused = await api.newKey();
    expect((await api.send(popPath, { events: [play()] })).status).to.equal(202);
    const open = await shut(api.databaseUrl);
    try {
      expect((await api.send(popPath, { events: [play()] })).status).to.equal(202);
      expectApiError(await unused.send(popPath, { events: [play()] }), 503, 'UNAVAILABLE');
      const keyed = { headers: { 'Idempotency-Key': 'k' } };
      const reply = await api.send(popPath, { events: [play()] }, keyed);
      expectApiError(reply, 503, 'UNAVAILABLE');
      expect(reply.headers.get('retry-after')).to.match(/^\d+$/);
      expect(JSON.stringify(reply.body)).to.not.match(/postgres|database|connection/i);
      expect((await fetch(`${api.baseUrl}/readyz`)).status).to.equal(503);
    } finally {
      await open();
    }
    expect((await unused.send(popPath, { events: [play()] }, { headers: { 'Idempotency-Key': 'k' } })).status).to.equal(
      202,
    );
    expect((await fetch(`${api.baseUrl}/readyz`)).status).to.equal(200);
  });
});
