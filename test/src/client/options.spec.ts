import { type ClientSettings, createClient, windows } from '@popsvc/client';
import { reportLimits } from '@popsvc/contracts/responses';
import { expect } from 'chai';

/** Options with an unknown name and with an empty list. */
const window = { from: '2026-08-20', to: '2026-08-21' };
const misspelt = { ...window, site_id: 11 };
const emptyList = { ...window, siteId: [] };

const typeErrorOf = async (call: () => Promise<unknown>): Promise<string> => {
  try {
    await call();
  } catch (error) {
    expect(error).to.be.instanceOf(TypeError);
    return (error as Error).message;
  }
  return 'none';
};

describe('options of the client', () => {
  let requests = 0;
  const fetch = () => Promise.reject(new Error(`expected no request, sent ${(requests += 1)}`));
  const client = createClient({ baseUrl: 'http://localhost', apiKey: 'demo_sk_x', fetch, retryTimeoutMs: 0 });
  const read = async (rows: AsyncIterable<unknown>) => {
    for await (const row of rows) expect.fail(JSON.stringify(row));
  };
  const methods: Readonly<Record<string, (options: typeof window) => Promise<unknown>>> = {
    coffee: (options) => read(client.coffee(options)),
    watcherSummary: (options) => read(client.watcherSummary(options)),
    coffeePage: (options) => client.coffeePage(options),
    watcherSummaryPage: (options) => client.watcherSummaryPage(options),
    streamCoffee: (options) => client.streamCoffee(options),
    downloadWatcherSummary: (options) => client.downloadWatcherSummary(options, 'never.csv'),
  };

  for (const [name, call] of Object.entries(methods))
    it(`${name}: an unknown option or an empty list is a TypeError and sends no request`, async () => {
      expect(await typeErrorOf(() => call(misspelt))).to.match(/^unknown option site_id; the options are .*siteId/);
      expect(await typeErrorOf(() => call(emptyList))).to.match(/^siteId is empty/);
      expect(requests).to.equal(0);
    });

  it('changes, deviceStatuses, feederStatuses, uptime: an unknown option or an empty list is a TypeError', async () => {
    const places = { locationId: [] };
    const uptime = { deviceId: 31, appCode: 'player', form: '2026-08-20T00:00:00Z' };
    expect(await typeErrorOf(() => client.coffeeChanges(misspelt as object))).to.match(/^unknown option from;/);
    expect(await typeErrorOf(() => client.watcherSummaryChanges({ siteId: [] }))).to.match(/^siteId is empty/);
    expect(await typeErrorOf(() => client.deviceStatuses(places))).to.match(/^locationId is empty/);
    expect(await typeErrorOf(() => client.feederStatuses(misspelt as object))).to.match(/^unknown option from;/);
    expect(await typeErrorOf(() => client.uptime(uptime))).to.match(/^unknown option form;/);
    expect(await typeErrorOf(() => client.metricDefinitions({ networkName: 'Other' } as object))).to.match(
      /networkName/,
    );
    expect(await typeErrorOf(() => client.deviceStatus(31, { networkName: 'Other' } as object))).to.match(
      /networkName/,
    );
    expect(requests).to.equal(0);
  });

  it('the largest window and page size equal the limits of the report contract', async () => {
    const [first] = windows('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z');
    expect((Date.parse(first!.to) - Date.parse(first!.from)) / 86_400_000).to.equal(reportLimits.maxWindowDays);
    let limit: string | null = null;
    const noting = (address: string | URL | Request) => {
      limit = new URL(address instanceof Request ? address.url : address).searchParams.get('limit');
      return Promise.resolve(Response.json({ status: true, message: '', data: { rows: [], next_after: null } }));
    };
    await read(createClient({ baseUrl: 'http://localhost', apiKey: 'demo_sk_x', fetch: noting }).coffee(window));
    expect(limit).to.equal(String(reportLimits.limit.max));
  });

  it('windows refuses what the service refuses, before the first window', () => {
    const to = '2026-08-21T00:00:00Z';
    for (const from of [
      '2026-08-20T00:00:00',
      '2026-02-31',
      '2026-02-31T00:00:00Z',
      '2026-08-20T24:00:00Z',
      '2026-08-20T00:00:00+19:00',
      '20 August 2026',
      '2026-08',
      '',
    ])
      expect(() => windows(from, to), from).to.throw(
        RangeError,
        `from must be an ISO 8601 date or datetime with Z or an offset, or a Date, not ${from}`,
      );
    expect(() => windows('2026-08-20', '2026-08-20T10:00')).to.throw(RangeError, /^to must be an ISO 8601 date/);
    expect(() => windows(new Date(Number.NaN), to)).to.throw(RangeError, /^from must be .* not an invalid Date$/);
    for (const from of [to, '2026-08-21', '2026-08-22', new Date(to)])
      expect(() => windows(from, to)).to.throw(RangeError, /^from must be before to/);
  });

  it('windows reads dates as midnight in UTC, and offsets', () => {
    const only = (from: string | Date, to: string | Date) => [...windows(from, to)];
    const window = { from: '2026-08-20T00:00:00.000Z', to: '2026-08-21T00:00:00.000Z' };
    expect(only('2026-08-20', '2026-08-21')).to.deep.equal([window]);
    expect(only('2026-08-20T02:00:00+02:00', '2026-08-20T19:00-0500')).to.deep.equal([window]);
    expect(only(new Date(window.from), new Date(window.to))).to.deep.equal([window]);
    expect(only('2026-08-19T23:59:59.9990001Z', window.to), 'rows have milliseconds').to.deep.equal([window]);
  });

  it('createClient throws a TypeError without credentials', () => {
    const unset = { baseUrl: 'http://localhost', clientId: undefined, clientSecret: undefined };
    expect(() => createClient(unset as unknown as ClientSettings)).to.throw(TypeError, 'or an apiKey');
  });
});
