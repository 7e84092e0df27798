import { setTimeout as sleep } from 'node:timers/promises';
import { progress, registryTables } from '@popsvc/read-models/tables';
import { defaultThresholds } from '@popsvc/contracts/metrics';
import { expect } from 'chai';
import { noon } from './rows.fixture.ts';
import { bearer, openWorld, type World } from './world.fixture.ts';

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';

describe('what stands beside reports', () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await openWorld();
    await world.register([
      { id: 1, name: 'One' },
      { id: 2, name: 'Two' },
    ]);
    ({ token } = await world.client(1, 2));
  });
  after(() => world.close());

  it('is X-Data-As-Of, when anything is projected', async () => {
    const header = async (path: string) => {
      const answer = await world.get(`/api/v1/${path}?${window}`, bearer(token));
      await answer.text();
      return answer.headers.get('x-data-as-of');
    };
    for (const path of ['coffee', 'coffee/download', 'watcher-summary', 'watcher-summary/download'])
      expect(await header(path)).equal(null);
    const row = { generation: 1, rows: 1, epoch: 1, written_at: noon };
    await world.insert(progress, [
      { ...row, projection: 'coffee', pos: 1, as_of: noon },
      { ...row, projection: 'coffee', pos: 2, as_of: noon + 1_250 },
      { ...row, projection: 'watcher-summary', pos: 1, as_of: noon + 9 },
    ]);
    expect(await header('coffee')).equal('2026-08-20T12:00:01.250Z');
    expect(await header('coffee/download')).equal('2026-08-20T12:00:01.250Z');
    expect(await header('watcher-summary')).equal('2026-08-20T12:00:00.009Z');
    await world.insert(progress, [{ ...row, projection: 'coffee', pos: 3, as_of: noon + 2_000 }]);
    await sleep(300);
    expect(await header('coffee')).equal('2026-08-20T12:00:02.000Z');
  });

  it('is every version of the thresholds; the default when none is published', async () => {
    const definitions = async (headers: Readonly<Record<string, string>>) => {
      const answer = await world.get('/api/v1/metric-definitions', headers);
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
    await world.insert(registryTables.metric_definitions, [published(2, 2, 4_000), published(2, 1, 3_000)]);
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
