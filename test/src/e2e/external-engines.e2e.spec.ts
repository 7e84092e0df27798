import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  hasNats,
  sharedClickHouse,
  sharedPostgres,
  startTestEventStore,
  startTestNats,
  type TestNats,
} from '../support/engines.ts';
import { createTestPartner, waitUntil, type Service, startService } from '@popsvc/tools/rig';
import { natsTests } from './nats.suite.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { encryptionKey } from '../support/test-sealer.ts';

const operatorToken = 'an-operator-token-of-some-length';

/** Each engine is embedded when its variable is unset and external when it is set, in any mix. */
describe('external engines', function () {
  this.timeout(90_000);

  /** The embedded node, with a dead node before it in the list. */
  const startEventStore = async () => {
    const { port } = await startTestEventStore();
    return { EVENTSTORE_URL: `esdb://127.0.0.1:1,127.0.0.1:${port}?tls=false` };
  };

  const external = {
    eventStore: startEventStore,
    clickhouse: async () => {
      const engine = await sharedClickHouse();
      return {
        CLICKHOUSE_URL: `${engine.url}/${await engine.database()}`,
        CLICKHOUSE_USER: engine.writer.username,
        CLICKHOUSE_PASSWORD: engine.writer.password,
      };
    },
    postgres: async () => ({
      DATABASE_URL: await (await sharedPostgres()).freshDatabase(),
      POPSVC_OPERATOR_TOKEN: operatorToken,
      POPSVC_ENCRYPTION_KEY: encryptionKey,
    }),
  };

  /** From registry and API key to a play in the report. */
  const reportsPlay = async ({ endpoints }: Service, token: string) => {
    const ops = async (path: string, body: unknown) => {
      const answer = await fetch(`${endpoints.ops_base_url}/ops/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.status, await answer.clone().text()).to.be.within(200, 201);
      return (await answer.json()) as Record<string, string>;
    };
    const given = { ...smallRegistry, networks: [{ ...smallRegistry.networks[0], id: 70 }] };
    await ops('registry', JSON.parse(JSON.stringify(given).replaceAll('"network":1', '"network":70')));
    const { api_key } = await ops('api-keys', { network: 70, vendor: 'acme' });
    const { client, read } = createTestPartner({ ...endpoints, api_key: api_key! });
    await waitUntil(
      () => read('/metric-definitions').then(({ status }) => status),
      (status) => status === 200,
    );
    const playedAt = '2026-08-20T14:00:00Z';
    const play = {
      eventId: 'p',
      screenId: 'screen-1',
      campaignId: 'C-100',
      creativeId: 'CR-1',
      playedAt,
      durationMs: 10,
    };
    await client.recordPlays([play]);
    const { rows } = await waitUntil(
      () => client.coffeePage({ from: '2026-08-20', to: '2026-08-21' }),
      ({ total }) => total === 1,
    );
    expect(rows[0]).to.include({ EVENT_ID: 'p', NETWORK_NAME: 'Harbour Media', SITE_NAME: 'Quayside' });
  };

  it('replace all embedded engines', async () => {
    const env = { ...(await external.eventStore()), ...(await external.clickhouse()), ...(await external.postgres()) };
    const service = await startService({ env });
    const { event_store, clickhouse, postgres } = service.endpoints;
    expect([event_store, clickhouse, postgres]).to.deep.equal(['external', 'external', 'external']);
    for (const name of ['event-store', 'clickhouse', 'postgres', 'demo-credentials.json'])
      expect(existsSync(join(service.dataDir, name)), name).to.equal(false);
    expect(service.startupOutput)
      .to.include('Sign in with the operator token: POPSVC_OPERATOR_TOKEN')
      .and.include('SEED_DEMO=1');
    await reportsPlay(service, operatorToken);
    expect(await service.stop()).to.equal(0);
  });

  it('require an operator token if PostgreSQL is external', async () => {
    const { DATABASE_URL } = await external.postgres();
    const refused = await startService({ env: { DATABASE_URL } }).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(refused).to.include('POPSVC_OPERATOR_TOKEN: must be set when DATABASE_URL is');
    expect(refused).to.include('POPSVC_ENCRYPTION_KEY: must be set when DATABASE_URL is');
  });

  describe('together with embedded ones', () => {
    let service: Service;
    let nats: TestNats | undefined;
    before(async () => {
      nats = hasNats ? await startTestNats() : undefined;
      await nats?.stop();
      const servers = nats && { NATS_URL: `${nats.url},nats://127.0.0.1:1` };
      service = await startService({ env: { ...(await external.clickhouse()), ...servers } });
    });
    after(async () => {
      await service.stop();
      await nats?.stop();
    });

    natsTests(() => ({ service, nats }));

    describe('with ClickHouse', () => {
      it('report a play', async () => {
        expect(service.startupOutput)
          .to.include('Sign in with the operator token: operatorToken in')
          .and.include('curl');
        expect(service.endpoints).to.include({ clickhouse: 'external' });
        expect(existsSync(join(service.dataDir, 'clickhouse'))).to.equal(false);
        expect(existsSync(join(service.dataDir, 'event-store'))).to.equal(true);
        await reportsPlay(service, service.credentials.operator_token);
        expect(await service.stop()).to.equal(0);
      });
    });
  });
});
