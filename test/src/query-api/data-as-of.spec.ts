import { derivedCoffee } from '@popsvc/read-models/tables';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { noon } from './rows.fixture.ts';
import {
  bearer,
  createProgressViews,
  progress,
  startTestQueryApi,
  type TestQueryApi,
} from './test-query-api.fixture.ts';

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';

describe('X-Data-As-Of', () => {
  let api: TestQueryApi;
  let token: string;
  before(async () => {
    api = await startTestQueryApi();
    await api.register([
      { id: 1, name: 'One' },
      { id: 2, name: 'Two' },
    ]);
    ({ token } = await api.client(1));
  });
  after(() => api.close());

  const header = async (path: string, of = token) => {
    const answer = await api.get(`/api/v1/${path}?${window}`, bearer(of));
    await answer.text();
    return answer.headers.get('x-data-as-of');
  };

  const expectSoon = (path: string, of: string, expected: string) =>
    waitUntil(
      () => header(path, of),
      (found) => found === expected,
    );

  it('is the time of the newest projected event, and absent before the first', async () => {
    for (const path of ['coffee', 'coffee/download', 'watcher-summary', 'watcher-summary/download'])
      expect(await header(path)).equal(null);
    const row = { generation: 1 };
    await api.insert(progress, [
      { ...row, projection: 'coffee', pos: 1, as_of: noon },
      { ...row, projection: 'coffee', pos: 2, as_of: noon + 1_250 },
      { ...row, projection: 'watcher-summary', pos: 1, as_of: noon + 9 },
    ]);
    await expectSoon('coffee', token, '2026-08-20T12:00:01.250Z');
    expect(await header('coffee/download')).equal('2026-08-20T12:00:01.250Z');
    await expectSoon('watcher-summary', token, '2026-08-20T12:00:00.009Z');
    await api.insert(progress, [{ ...row, projection: 'coffee', pos: 3, as_of: noon + 2_000 }]);
    await expectSoon('coffee', token, '2026-08-20T12:00:02.000Z');
  });

  it('is the time of the oldest pending range of the network', async () => {
    const { token: ofTwo } = await api.client(2);
    const range = {
      network_id: 2,
      last_network: 2,
      screen_id: 'screen-1',
      from_at: noon,
      to_at: noon + 300_000,
      cause: 'facts',
      slices: 1,
      next_slice: 0,
      written_at: noon,
      is_deleted: 0,
    };
    await api.insert(derivedCoffee.pending, [
      { ...range, pos: 1, as_of: noon + 5, version: 2 },
      { ...range, screen_id: 'screen-2', pos: 2, as_of: noon + 40, version: 4 },
    ]);
    await expectSoon('coffee', ofTwo, '2026-08-20T12:00:00.005Z');
    await expectSoon('coffee/download', ofTwo, '2026-08-20T12:00:00.005Z');
    await expectSoon('coffee', token, '2026-08-20T12:00:02.000Z');
    await api.insert(derivedCoffee.pending, [{ ...range, pos: 1, as_of: noon + 5, version: 3, is_deleted: 1 }]);
    await expectSoon('coffee', ofTwo, '2026-08-20T12:00:00.040Z');
    await api.insert(derivedCoffee.pending, [
      { ...range, screen_id: 'screen-2', pos: 2, as_of: noon + 40, version: 5, is_deleted: 1 },
    ]);
    await expectSoon('coffee', ofTwo, '2026-08-20T12:00:02.000Z');
    await api.insert(derivedCoffee.pending, [
      {
        ...range,
        network_id: 1,
        last_network: 2,
        screen_id: '',
        cause: 'replay',
        pos: 3,
        as_of: noon + 60,
        version: 6,
      },
    ]);
    for (const each of [token, ofTwo]) await expectSoon('coffee', each, '2026-08-20T12:00:00.060Z');
    // With two partitions, the range belongs to the one that owns network 1.
    await createProgressViews(api.writer, { coffee: 2 });
    await expectSoon('coffee', token, '2026-08-20T12:00:00.060Z');
    await expectSoon('coffee', ofTwo, '2026-08-20T12:00:02.000Z');
  });
});
