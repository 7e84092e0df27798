import { defaultThresholds } from '@popsvc/contracts/metrics';
import { registryTables } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { noon } from './rows.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

describe('metric definitions', () => {
  let api: TestQueryApi;
  let token: string;
  before(async () => {
    api = await startTestQueryApi();
    await api.register([
      { id: 1, name: 'One' },
      { id: 2, name: 'Two' },
    ]);
    ({ token } = await api.client(1, 2));
  });
  after(() => api.close());

  it('list the default and every published version of the network', async () => {
    const definitions = async (headers: Readonly<Record<string, string>>) => {
      const answer = await api.get('/api/v1/metric-definitions', headers);
      expect(answer.status).equal(200);
      return ((await answer.json()) as { data: unknown }).data;
    };
    const published = (network_id: number, definition: number, view_ms: number) => ({
      network_id,
      definition,
      effective_from: noon + definition,
      thresholds: JSON.stringify({ ...defaultThresholds, view_ms }),
      version: definition,
    });
    await api.insert(registryTables.metric_definitions, [published(2, 2, 4_000), published(2, 1, 3_000)]);
    expect(await definitions(bearer(token))).deep.equal({
      count: 1,
      rows: [{ network_id: 1, version: 0, effective_from: null, thresholds: defaultThresholds }],
    });
    expect(await definitions({ ...bearer(token), 'x-network-name': 'two' })).deep.equal({
      count: 3,
      rows: [
        { network_id: 2, version: 0, effective_from: null, thresholds: defaultThresholds },
        {
          network_id: 2,
          version: 1,
          effective_from: '2026-08-20T12:00:00.001Z',
          thresholds: { ...defaultThresholds, view_ms: 3_000 },
        },
        {
          network_id: 2,
          version: 2,
          effective_from: '2026-08-20T12:00:00.002Z',
          thresholds: { ...defaultThresholds, view_ms: 4_000 },
        },
      ],
    });
  });
});
