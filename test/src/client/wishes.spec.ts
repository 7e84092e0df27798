import { type ClientSettings, createClient, windows } from '@popsvc/client';
import { reportLimits } from '@popsvc/contracts/pagination';
import { expect } from 'chai';

/** As JavaScript would write it, and as a list that came out empty. */
const window = { from: '2026-08-20', to: '2026-08-21' };
const misspelt = { ...window, site_id: 11 };
const ofNone = { ...window, siteId: [] };

const complaint = async (ask: () => Promise<unknown>): Promise<string> => {
  try {
    await ask();
  } catch (error) {
    expect(error).to.be.instanceOf(TypeError);
    return (error as Error).message;
  }
  return 'none';
};

describe('what the client does not ask for', () => {
  let asked = 0;
  const fetch = () => Promise.reject(new Error(`nobody was to be asked, and ${(asked += 1)} were`));
  const client = createClient({ baseUrl: 'http://localhost', apiKey: 'demo_sk_x', fetch, patienceMs: 0 });
  const read = async (rows: AsyncIterable<unknown>) => {
    for await (const row of rows) expect.fail(JSON.stringify(row));
  };
  const ways: Readonly<Record<string, (wish: typeof window) => Promise<unknown>>> = {
    coffee: (wish) => read(client.coffee(wish)),
    watcherSummary: (wish) => read(client.watcherSummary(wish)),
    coffeePage: (wish) => client.coffeePage(wish),
    watcherSummaryPage: (wish) => client.watcherSummaryPage(wish),
    streamCoffee: (wish) => client.streamCoffee(wish),
    downloadWatcherSummary: (wish) => client.downloadWatcherSummary(wish, 'never.csv'),
  };

  for (const [name, ask] of Object.entries(ways))
    it(`${name}: everything, because the filter is misspelt or names none`, async () => {
      expect(await complaint(() => ask(misspelt))).to.match(/^there is no site_id to be asked for, only .*siteId/);
      expect(await complaint(() => ask(ofNone))).to.match(/^siteId names none/);
      expect(asked).to.equal(0);
    });

  it('deviceStatuses, feederStatuses, uptime: the same', async () => {
    const places = { locationId: [] };
    const uptime = { deviceId: 31, appCode: 'player', form: '2026-08-20T00:00:00Z' };
    expect(await complaint(() => client.deviceStatuses(places))).to.match(/^locationId names none/);
    expect(await complaint(() => client.feederStatuses(misspelt as object))).to.match(/^there is no from to be/);
    expect(await complaint(() => client.uptime(uptime))).to.match(/^there is no form to be asked for/);
    expect(await complaint(() => client.metricDefinitions({ networkName: 'Other' } as object))).to.match(/networkName/);
    expect(await complaint(() => client.deviceStatus(31, { networkName: 'Other' } as object))).to.match(/networkName/);
    expect(asked).to.equal(0);
  });

  it('more than a report gives, which it is told apart from our contracts', async () => {
    const [first] = windows('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z');
    expect((Date.parse(first!.to) - Date.parse(first!.from)) / 86_400_000).to.equal(reportLimits.longestDays);
    let limit: string | null = null;
    const noting = (address: string | URL | Request) => {
      limit = new URL(address instanceof Request ? address.url : address).searchParams.get('limit');
      return Promise.resolve(Response.json({ status: true, message: '', data: { rows: [], next_after: null } }));
    };
    await read(createClient({ baseUrl: 'http://localhost', apiKey: 'demo_sk_x', fetch: noting }).coffee(window));
    expect(limit).to.equal(String(reportLimits.limit.most));
  });

  it('a token, for credentials that are not there', () => {
    const unset = { baseUrl: 'http://localhost', clientId: undefined, clientSecret: undefined };
    expect(() => createClient(unset as unknown as ClientSettings)).to.throw(TypeError, 'or an apiKey');
  });
});
