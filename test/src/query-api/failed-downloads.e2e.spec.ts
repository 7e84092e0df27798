import { createGunzip } from 'node:zlib';
import { coffee } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { beginDownload, rowsOfOneSecond } from './downloads.fixture.ts';
import { expectRefused } from './refusals.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';
const many = 40_000;

/** Decompresses what arrived of a truncated response, and expects that its end is missing. */
const decompressTruncated = async (zipped: Buffer): Promise<Buffer> => {
  const text: Buffer[] = [];
  const gunzip = createGunzip().on('data', (chunk: Buffer) => text.push(chunk));
  const failed = new Promise((resolve) => gunzip.once('error', resolve).once('end', () => resolve(undefined)));
  gunzip.end(zipped);
  expect(await failed, 'the compressed text has an end').instanceOf(Error);
  return Buffer.concat(text);
};

describe('downloads that ClickHouse fails to complete', () => {
  let api: TestQueryApi;
  let token: string;
  before(async () => {
    api = await startTestQueryApi();
    await api.register([{ id: 1, name: 'One', sites: [11] }]);
    await api.insert(coffee, rowsOfOneSecond(many));
    ({ token } = await api.client(1));
  });
  after(() => api.close());

  const columns = ['*', ...Object.keys(coffee.materialized)].join(', ');
  const view = (condition: string) =>
    api.writer.run(`CREATE OR REPLACE VIEW coffee_live AS SELECT ${columns} FROM coffee_g1 FINAL WHERE ${condition}`);
  /** Fails at the last row, after the other rows are sent. */
  const failAtLastRow = `throwIf(if(number = ${many - 1}, sleepEachRow(0.3) = 0, 0), 'the secret of the server') = 0`;

  it('are truncated recognizably and contain no internal error text', async () => {
    await view(`${failAtLastRow} SETTINGS max_block_size = 500, short_circuit_function_evaluation = 'force_enable'`);
    const response = await beginDownload(api, token);
    expect(response.statusCode).equal(200);
    const chunks: Buffer[] = [];
    const failure = await (async () => {
      for await (const chunk of response) chunks.push(chunk as Buffer);
    })().catch((error: unknown) => error);
    expect(failure, 'the transfer was broken').instanceOf(Error);
    expect(response.complete).equal(false);
    const text = Buffer.concat(chunks).toString();
    expect(text.length).above(100_000);
    expect(text).not.match(/secret of the server|exception|Code:/i);
  });

  for (const format of ['csv', 'ndjson', 'parquet'])
    for (const coding of ['identity', 'gzip'])
      it(`are never complete, ${format} with ${coding}`, async () => {
        await view(
          `${failAtLastRow} SETTINGS max_block_size = 500, short_circuit_function_evaluation = 'force_enable'`,
        );
        const response = await beginDownload(api, token, `&format=${format}`, coding);
        const chunks: Buffer[] = [];
        const failure = await (async () => {
          for await (const chunk of response) chunks.push(chunk as Buffer);
        })().catch((error: unknown) => error);
        // A Parquet row group may contain all rows. Then nothing was sent before the failure, and the response is an ordinary error.
        if (response.statusCode === 500) {
          expect(format).equal('parquet');
          expect(response.headers['content-encoding']).equal(undefined);
          return;
        }
        expect(failure, 'the transfer was broken').instanceOf(Error);
        expect(response.complete).equal(false);
        const bytes = Buffer.concat(chunks);
        const text = coding === 'gzip' ? await decompressTruncated(bytes) : bytes;
        expect(text.toString('latin1')).not.match(/secret of the server|exception|Code:/i);
      });

  it('are an ordinary error response when the query fails before the first byte', async () => {
    await view(`throwIf(number >= 0, 'the secret of the server') = 0`);
    const answer = await api.get(`/api/v1/coffee/download?${window}`, bearer(token));
    const body = await expectRefused(answer, 500, 'INTERNAL');
    expect(JSON.stringify(body)).not.contain('secret');
    expect(answer.headers.get('content-disposition')).equal(null);
    const page = await api.get(`/api/v1/coffee?${window}`, bearer(token));
    expect(JSON.stringify(await expectRefused(page, 500, 'INTERNAL'))).not.contain('secret');
  });

  it('release their download slots', async () => {
    await view('1');
    for (let round = 0; round < 4; round++) {
      const response = await beginDownload(api, token, '&limit=1');
      expect(response.statusCode).equal(200);
      response.destroy();
    }
  });
});
