import { coffee, watcherSummary } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import fc from 'fast-check';
import { formatPath, type Page } from './pages.fixture.ts';
import { coffeeRow, noon, watcherRow } from './rows.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const window = {
  from: fc.constantFrom('2026-08-20T00:00:00Z', '2026-08-20T12:00:00.001Z'),
  to: fc.constantFrom('2026-08-21T00:00:00Z', '2026-08-20T12:00:00.003Z'),
};
const cursor = fc.constantFrom('2026-08-20T11:00:00Z', '2026-08-20T12:00:00.0000000000000000001Z');
const validQuery = fc.record(
  { ...window, limit: fc.constantFrom('1', '3', '5000'), offset: fc.constantFrom('0', '2') },
  { requiredKeys: ['from', 'to'] },
);
/** Every parameter with valid and invalid values, and sites and networks of the other tenant. */
const anyQuery = fc.record(
  {
    from: fc.oneof(window.from, fc.constant('2026-08-20')),
    to: fc.oneof(window.to, fc.constant('2026-09-19')),
    site_id: fc.constantFrom('11', '21', '0', '11 OR 1=1', '11) OR (1=1'),
    limit: fc.constantFrom('1', '3', '5000'),
    sort: fc.constantFrom('asc', 'desc'),
    after: cursor,
    offset: fc.constantFrom('0', '2'),
    network_id: fc.constantFrom('1', '2'),
  },
  { requiredKeys: ['from', 'to'] },
);
const attempt = fc.oneof(
  validQuery,
  fc.record({ ...window, sort: fc.constantFrom('asc', 'desc'), after: cursor }),
  anyQuery,
);

describe('two tenants', () => {
  let api: TestQueryApi;
  let secrets: readonly string[];
  let credentials: readonly Readonly<Record<string, string>>[];
  before(async () => {
    api = await startTestQueryApi();
    await api.register([
      { id: 1, name: 'One', sites: [11] },
      { id: 2, name: 'Two', sites: [21] },
    ]);
    // The same instants, numbers and ids in both: only the network distinguishes the rows.
    for (const network of [1, 2]) {
      const own = Array.from({ length: 30 }, (_, index) => ({
        network_id: network,
        ts: noon + (index % 5),
        number: index,
        site_id: index % 3 === 0 ? 0 : network * 10 + 1,
        detection_id: `d-${index}`,
        watcher_id: network * 1_000 + index,
      }));
      await api.insert(
        coffee,
        own.map((row) => coffeeRow({ ...row, event_id: `secret-${network}` })),
      );
      await api.insert(
        watcherSummary,
        own.map((row) => watcherRow(row)),
      );
    }
    secrets = ['secret-1', 'secret-2'];
    credentials = [
      bearer((await api.client(1)).token),
      bearer((await api.client(2)).token),
      { 'x-api-key': await api.apiKey(1) },
      { 'x-api-key': await api.apiKey(2) },
    ];
  });
  after(() => api.close());

  it('never receive rows of each other, with any parameters', async function () {
    this.timeout(300_000);
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          '/api/v1/coffee',
          '/api/v1/watcher-summary',
          '/api/v1/coffee/download',
          '/api/v1/watcher-summary/download',
        ),
        attempt,
        fc.integer({ min: 0, max: 3 }),
        fc.option(fc.constantFrom('One', 'Two', "Two' OR '1'='1"), { nil: undefined }),
        async (path, parameters, callerIndex, name) => {
          const network = (callerIndex % 2) + 1;
          const headers = { ...credentials[callerIndex], ...(name !== undefined && { 'x-network-name': name }) };
          const answer = await api.get(formatPath(path, parameters), headers);
          const text = await answer.text();
          expect(answer.status).not.equal(500);
          expect(text).not.contain(secrets[2 - network]);
          for (const [, watcher] of text.matchAll(/"WATCHERID":(\d+)/g))
            expect(Math.floor(Number(watcher) / 1_000)).equal(network);
          if (answer.status !== 200) return;
          answered += 1;
          if (path.endsWith('download')) {
            const watchers = [...text.matchAll(/(?<=^|,)([12])0\d\d(?=,)/gm)].map(([, digit]) => Number(digit));
            expect(new Set([...watchers, network])).deep.equal(new Set([network]));
          } else expect((JSON.parse(text) as { data: Page }).data.total).at.most(30);
        },
      ),
      { numRuns: process.env['POPSVC_LONG'] === '1' ? 5_000 : 200, seed: 2026 },
    );
    expect(answered, 'attempts that were answered').above(50);
  });
});
