import { createGunzip } from 'node:zlib';
import { coffee } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { beginDownload, crowded } from './downloads.fixture.ts';
import { expectRefused } from './refusals.fixture.ts';
import { bearer, openWorld, type World } from './world.fixture.ts';

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';
const many = 40_000;

/** As much as can be decompressed of what was cut. */
const whatIsThere = async (zipped: Buffer): Promise<Buffer> => {
  const text: Buffer[] = [];
  const gunzip = createGunzip().on('data', (chunk: Buffer) => text.push(chunk));
  const failed = new Promise((resolve) => gunzip.once('error', resolve).once('end', () => resolve(undefined)));
  gunzip.end(zipped);
  expect(await failed, 'the compressed text has an end').instanceOf(Error);
  return Buffer.concat(text);
};

describe('downloads of which the server fails midway', () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await openWorld();
    await world.register([{ id: 1, name: 'One', sites: [11] }]);
    await world.insert(coffee, crowded(many));
    ({ token } = await world.client(1));
  });
  after(() => world.close());

  const view = (condition: string) =>
    world.writer.run(`CREATE OR REPLACE VIEW coffee_live AS SELECT * FROM coffee_g1 FINAL WHERE ${condition}`);
  /** At the last row, and not before the others are on their way. */
  const late = `throwIf(if(number = ${many - 1}, sleepEachRow(0.3) = 0, 0), 'the secret of the server') = 0`;

  it('are cut, so that nobody takes them for whole, and tell nothing of the inside', async () => {
    await view(`${late} SETTINGS max_block_size = 500, short_circuit_function_evaluation = 'force_enable'`);
    const response = await beginDownload(world, token);
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
      it(`are never whole, ${format} with ${coding}`, async () => {
        await view(`${late} SETTINGS max_block_size = 500, short_circuit_function_evaluation = 'force_enable'`);
        const response = await beginDownload(world, token, `&format=${format}`, coding);
        const chunks: Buffer[] = [];
        const failure = await (async () => {
          for await (const chunk of response) chunks.push(chunk as Buffer);
        })().catch((error: unknown) => error);
        // A row group of Parquet may be larger than all there is: then nothing had been sent, and it is an ordinary error.
        if (response.statusCode === 500) {
          expect(format).equal('parquet');
          expect(response.headers['content-encoding']).equal(undefined);
          return;
        }
        expect(failure, 'the transfer was broken').instanceOf(Error);
        expect(response.complete).equal(false);
        const bytes = Buffer.concat(chunks);
        const text = coding === 'gzip' ? await whatIsThere(bytes) : bytes;
        expect(text.toString('latin1')).not.match(/secret of the server|exception|Code:/i);
      });

  it('are an ordinary error when they fail before the first byte', async () => {
    await view(`throwIf(number >= 0, 'the secret of the server') = 0`);
    const answer = await world.get(`/api/v1/coffee/download?${window}`, bearer(token));
    const body = await expectRefused(answer, 500, 'INTERNAL');
    expect(JSON.stringify(body)).not.contain('secret');
    expect(answer.headers.get('content-disposition')).equal(null);
    const page = await world.get(`/api/v1/coffee?${window}`, bearer(token));
    expect(JSON.stringify(await expectRefused(page, 500, 'INTERNAL'))).not.contain('secret');
  });

  it('give their places back', async () => {
    await view('1');
    for (let round = 0; round < 4; round++) {
      const response = await beginDownload(world, token, '&limit=1');
      expect(response.statusCode).equal(200);
      response.destroy();
    }
  });
});
