import { expect } from 'chai';
import { type PostgresPair, startPostgresPair } from '../postgres/postgres-pair.fixture.ts';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectApiError, play, popPath } from './sender.fixture.ts';

/** More requests than the pool has connections, and than a server has by default in several rounds. */
const requests = 40;
const rounds = 5;

describe('command-api: without the synchronous standby of PostgreSQL', () => {
  let pair: PostgresPair;
  let api: TestCommandApi;
  before(async () => {
    pair = await startPostgresPair();
    await pair.configure('synchronous_standby_names', 'standby');
    await pair.addStandby('standby');
    api = await commandApi({ databaseUrl: pair.url });
  });
  after(() => api.close());

  it('accepts requests without an idempotency key and new API keys, and responds 503 to others, with a bounded number of connections', async () => {
    const unused = await Promise.all(Array.from({ length: rounds }, () => api.newKey()));
    let number = 0;
    const sendKeyed = () =>
      api.send(popPath, { events: [play()] }, { headers: { 'Idempotency-Key': `away ${(number += 1)}` } });
    pair.replication.away();
    for (let round = 0; round < rounds; round += 1) {
      const replies = await Promise.all(Array.from({ length: requests }, sendKeyed));
      for (const reply of replies) {
        expectApiError(reply, 503, 'UNAVAILABLE');
        expect(reply.headers.get('retry-after')).to.match(/^\d+$/);
      }
      expect((await unused[round]!.send(popPath, { events: [play()] })).status).to.equal(202);
      expect((await fetch(`${api.baseUrl}/readyz`)).status).to.equal(200);
    }
    const connections = await pair.administer("SELECT 1 FROM pg_stat_activity WHERE application_name = 'popsvc test'");
    expect(connections).to.have.length.at.most(30);
    pair.replication.heal();
    await pair.waitForStandby();
    expect((await sendKeyed()).status).to.equal(202);
  });
});
