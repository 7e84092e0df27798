import { Readable } from 'node:stream';
import { createClient, ClickHouseLogLevel, type ClickHouseClient } from '@clickhouse/client';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { sharedClickHouse, type Credentials } from '../support/engines.ts';

describe('embedded ClickHouse with @clickhouse/client', () => {
  let writer: ClickHouseClient;
  let reader: ClickHouseClient;

  before(async () => {
    const server = await sharedClickHouse();
    const database = await server.database();
    const connect = (user: Credentials): ClickHouseClient =>
      createClient({ url: server.url, database, ...user, log: { level: ClickHouseLogLevel.OFF } });
    [writer, reader] = [connect(server.writer), connect(server.reader)];
    await writer.command({
      query: 'CREATE TABLE plays (id UInt64, name String, at DateTime64(3)) ENGINE = MergeTree ORDER BY id',
    });
  });
  after(() => Promise.all([writer.close(), reader.close()]));
  afterEach(() => writer.command({ query: 'TRUNCATE TABLE plays' }));

  const rows = async <Row>(query: string, params: Record<string, unknown> = {}): Promise<Row[]> =>
    (await reader.query({ query, query_params: params, format: 'JSONEachRow' })).json<Row>();

  it('answers a ping', async () => {
    expect((await writer.ping()).success).to.equal(true);
  });

  it('inserts JSONEachRow and binds query parameters', async () => {
    const at = '2026-01-05 10:00:00.123';
    await writer.insert({
      table: 'plays',
      values: [
        { id: 1, name: "it's; DROP TABLE plays --", at },
        { id: 2, name: 'Quay', at },
      ],
      format: 'JSONEachRow',
    });
    const found = await rows('SELECT id, at FROM plays WHERE name = {name:String} AND id IN {ids:Array(UInt64)}', {
      name: "it's; DROP TABLE plays --",
      ids: [1, 2],
    });
    expect(found).to.deep.equal([{ id: 1, at }]);
  });

  it('inserts a stream of RowBinary', async () => {
    const count = 25_000;
    const encode = function* (): Iterable<Buffer> {
      for (let id = 0; id < count; id += 1) {
        const row = Buffer.alloc(8 + 1 + 4 + 8);
        row.writeBigUInt64LE(BigInt(id), 0);
        row.writeUInt8(4, 8);
        row.write('name', 9, 'latin1');
        row.writeBigInt64LE(1_767_606_000_000n + BigInt(id), 13);
        yield row;
      }
    };
    const { summary, stream } = await writer.exec({
      query: 'INSERT INTO plays FORMAT RowBinary',
      values: Readable.from(encode(), { objectMode: false }),
    });
    stream.resume();
    expect(summary?.written_rows).to.equal(String(count));
    expect(await rows('SELECT count() AS n, sum(id) AS ids, max(at) AS last FROM plays')).to.deep.equal([
      { n: count, ids: (count * (count - 1)) / 2, last: '2026-01-05 09:40:24.999' },
    ]);
  });

  it('streams a result larger than any buffer', async () => {
    const result = await reader.query({ query: 'SELECT number FROM numbers(2000000)', format: 'CSV' });
    let bytes = 0;
    for await (const part of result.stream()) for (const row of part) bytes += row.text.length;
    expect(bytes).to.be.greaterThan(12_000_000);
  });

  it('stops a query when its client disconnects', async () => {
    const disconnect = new AbortController();
    const queryId = `disconnected-${Date.now()}`;
    const result = reader.query({
      query: 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)',
      query_id: queryId,
      abort_signal: disconnect.signal,
    });
    const running = async (): Promise<number> => {
      const query = 'SELECT count() AS n FROM system.processes WHERE query_id = {id:String}';
      const result = await writer.query({ query, query_params: { id: queryId }, format: 'JSONEachRow' });
      return Number((await result.json<{ n: number }>())[0]?.n);
    };
    await waitUntil(running, (count) => count === 1);
    disconnect.abort();
    await result.then(
      () => expect.fail('it was aborted'),
      () => undefined,
    );
    // The query would run for much longer than this waits.
    await waitUntil(running, (count) => count === 0);
  });
});
