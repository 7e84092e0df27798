import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { coffeeWindow, fillCoffee, network } from '@popsvc/tools/bench';
import { type KillableClickHouse, killableClickHouse, sharedPostgres } from '../support/engines.ts';
import { countLineEnds, waitUntil } from '@popsvc/tools/rig';
import { type QueryApiProcess, startQueryApiProcess } from '../tokens/query-api-process.fixture.ts';
import { bearer, startTestQueryApi, migrateDatabase, type TestQueryApi } from './test-query-api.fixture.ts';
import { encryptionKey } from '../support/test-sealer.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const rows = isLong ? 3_000_000 : 100_000;
/** With three million rows the window is a month. */
const msBetween = 800;
/** By how much the memory of the service may grow, in MiB, after it has sent a tenth of the rows in each format. */
const moreMiB = 64;

const kinds = [
  { name: 'csv', format: 'csv', coding: 'identity', lines: rows + 1 },
  { name: 'csv, gzip', format: 'csv', coding: 'gzip', lines: rows + 1 },
  { name: 'ndjson', format: 'ndjson', coding: 'identity', lines: rows },
  { name: 'ndjson, gzip', format: 'ndjson', coding: 'gzip', lines: rows },
  { name: 'parquet', format: 'parquet', coding: 'identity', lines: undefined },
] as const;
type Kind = (typeof kinds)[number];
/** Downloads that still run after their first bytes. A short Parquet file is complete as soon as its first bytes arrive. */
const interruptible = kinds.filter(({ format }) => isLong || format !== 'parquet');

const rssMiB = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1_024;

describe(`downloads of ${rows} rows`, function () {
  this.timeout(isLong ? 1_800_000 : 180_000);
  let engine: KillableClickHouse;
  let postgres: Postgres;
  let api: TestQueryApi;
  let service: QueryApiProcess;
  const sizes = new Map<Kind, number>();
  /** Resident memory of the service after the first downloads, MiB. */
  let startMiB: number;

  const begin = async ({ format, coding }: Kind, rowCount = rows): Promise<IncomingMessage> => {
    // Each download has its own client, because the number of downloads per client is limited.
    const { token } = await api.client(network);
    const url = `${service.url}/api/v1/coffee/download?${coffeeWindow(rowCount, msBetween)}&format=${format}`;
    const request = get(url, { agent: false, headers: { ...bearer(token), 'accept-encoding': coding } });
    request.on('error', () => undefined);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).equal(200);
    return response;
  };

  before(async () => {
    engine = await killableClickHouse();
    const databaseUrl = await (await sharedPostgres()).freshDatabase(migrateDatabase);
    postgres = openPostgres({ url: databaseUrl, name: 'test', log: createLog('test', 'silent') });
    api = await startTestQueryApi({ engine, postgres });
    await api.register([{ id: network, name: 'Large' }]);
    await fillCoffee(api.writer, { rows, msBetween });
    service = await startQueryApiProcess({
      LOG_LEVEL: 'fatal',
      DATABASE_URL: databaseUrl,
      POPSVC_ENCRYPTION_KEY: encryptionKey,
      CLICKHOUSE_URL: `${engine.url}/${api.database}`,
      CLICKHOUSE_USER: engine.reader.username,
      CLICKHOUSE_PASSWORD: engine.reader.password,
    });
    // The first downloads load code and grow the heap. The tests do not count that memory.
    for (const kind of kinds) await finished((await begin(kind, rows / 10)).resume());
    startMiB = rssMiB(service.pid);
  });
  after(async () => {
    await service.stop();
    await api.close().catch(() => undefined);
    await postgres.end();
  });

  for (const kind of kinds)
    it(`use constant memory (${kind.name})`, async () => {
      let most = startMiB;
      const watch = setInterval(() => (most = Math.max(most, rssMiB(service.pid))), 25);
      const began = performance.now();
      const response = await begin(kind);
      let [bytes, lines] = [0, 0];
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      const text = kind.coding === 'gzip' ? response.pipe(createGunzip()) : response;
      for await (const chunk of text) lines += countLineEnds(chunk as Buffer);
      clearInterval(watch);
      expect(response.complete).equal(true);
      if (kind.lines !== undefined) expect(lines).equal(kind.lines);
      sizes.set(kind, bytes);
      if (process.env['TEST_LOG'] === '1') {
        const [megabytes, seconds] = [bytes / 1e6, (performance.now() - began) / 1_000];
        process.stdout.write(
          `${kind.name}: rss ${startMiB.toFixed(0)} → ${most.toFixed(0)} MiB, ${megabytes.toFixed(0)} MB in ${seconds.toFixed(1)} s\n`,
        );
      }
      expect(most - startMiB).below(moreMiB);
    });

  const running = async () =>
    (
      await api.writer.rows<{ n: number }>(
        `SELECT toUInt32(count()) AS n FROM system.processes WHERE user = '${engine.reader.username}' AND query LIKE '%coffee_live%'`,
      )
    )[0]?.n;

  for (const kind of interruptible)
    it(`stop the query when the client disconnects after a tenth (${kind.name})`, async function () {
      const enough = sizes.get(kind)! / 10;
      const response = await begin(kind);
      let bytes = 0;
      for await (const chunk of response) {
        bytes += (chunk as Buffer).length;
        if (bytes >= enough) break;
      }
      response.destroy();
      const left = performance.now();
      await waitUntil(running, (queries) => queries === 0, 30_000);
      const stoppedMs = performance.now() - left;
      if (process.env['TEST_LOG'] === '1')
        process.stdout.write(`${kind.name}: stopped after ${stoppedMs.toFixed(0)} ms\n`);
      if (isLong) expect(stoppedMs).below(1_000);
    });

  it('break in every format when ClickHouse is killed', async () => {
    const responses = await Promise.all(interruptible.map((kind) => begin(kind)));
    for (const response of responses) await once(response, 'readable');
    engine.kill();
    for (const [index, response] of responses.entries()) {
      const failure: unknown = await finished(response.resume()).catch((error: unknown) => error);
      expect(failure, interruptible[index]!.name).instanceOf(Error);
      expect(response.complete, interruptible[index]!.name).equal(false);
    }
  });
});
