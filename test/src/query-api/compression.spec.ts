import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { coffee, watcherSummary } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { rowsOfOneSecond } from './downloads.fixture.ts';
import { watcherRow } from './rows.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';

describe('reports with Accept-Encoding', () => {
  let api: TestQueryApi;
  let token: string;
  /** As it came, nothing decoded. */
  const raw = async (path: string, more: string, coding: string): Promise<[IncomingMessage, Buffer]> => {
    const headers = { ...bearer(token), 'accept-encoding': coding };
    const [answer] = (await once(
      get(`${api.url}/api/v1/${path}?${window}${more}`, { agent: false, headers }),
      'response',
    )) as [IncomingMessage];
    return [answer, await buffer(answer)];
  };

  before(async () => {
    api = await startTestQueryApi();
    await api.register([{ id: 1, name: 'One', sites: [11] }]);
    await api.insert(coffee, rowsOfOneSecond(2_000));
    await api.insert(watcherSummary, [watcherRow({ network_id: 1, number: 1 })]);
    ({ token } = await api.client(1));
  });
  after(() => api.close());

  it('are compressed where that is accepted, and the same within', async () => {
    for (const [path, more] of [
      ['coffee', ''],
      ['coffee', '&format=ndjson'],
      ['coffee/download', ''],
      ['coffee/download', '&format=ndjson'],
    ] as const) {
      const [bare, bytes] = await raw(path, more, 'identity');
      const [zipped, fewer] = await raw(path, more, 'gzip');
      expect([bare.headers['content-encoding'], zipped.headers['content-encoding']]).deep.equal([undefined, 'gzip']);
      for (const { headers } of [bare, zipped]) expect(headers['vary']).equal('Accept, Accept-Encoding');
      expect(gunzipSync(fewer).equals(bytes), `${path}${more}`).equal(true);
      expect(fewer.length).below(bytes.length / 5);
    }
  });

  it('are compressed by preference, never against it', async () => {
    for (const [coding, due] of [
      ['gzip', 'gzip'],
      ['br, gzip;q=0.1', 'gzip'],
      ['*', 'gzip'],
      ['gzip, identity', 'gzip'],
      ['', undefined],
      ['br', undefined],
      ['gzip;q=0', undefined],
      ['gzip;q=0, *', undefined],
      ['*;q=0', undefined],
      ['gzip;q=0.2, identity;q=0.7', undefined],
    ] as const) {
      const [answer] = await raw('coffee', '&limit=50', coding);
      expect(answer.headers['content-encoding'], coding).equal(due);
    }
  });

  it('leave small pages and Parquet as they are', async () => {
    const [page] = await raw('watcher-summary', '', 'gzip');
    expect(page.headers['content-encoding']).equal(undefined);
    const [file, bytes] = await raw('coffee/download', '&format=parquet', 'gzip');
    expect(file.headers['content-encoding']).equal(undefined);
    expect(file.headers['vary']).equal('Accept');
    expect(bytes.subarray(0, 4).toString()).equal('PAR1');
  });
});
