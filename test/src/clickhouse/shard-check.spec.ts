import { Writable } from 'node:stream';
import { listShards, onlyShard, type Shard } from '@popsvc/domain/partitioning';
import {
  type ClickHouseReader,
  type ClickHouseWriter,
  findWrongShard,
  listServersOf,
  openClickHouseReader,
  openClickHouseWriter,
  openAllShardsReader,
  openShardWriters,
  pinToServer,
  requireListedShards,
  sql,
  WrongShardError,
} from '@popsvc/platform/clickhouse';
import { ConfigError } from '@popsvc/platform/config';
import { degraded } from '@popsvc/platform/runtime';
import { openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { waitUntil } from '@popsvc/tools/rig';
import { onEachServer, pingServers, watchForDamage } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import { errorOf, rowsOf, type ScriptedReplica, startScriptedReplica } from './scripted-replica.fixture.ts';

const [first, second] = listShards(2) as [Shard, Shard];
const login = { username: 'any', password: '' };

describe('a server of a wrong shard', () => {
  let servers: ScriptedReplica[];
  let open: (ClickHouseReader | ClickHouseWriter)[];
  beforeEach(async () => {
    open = [];
    servers = await Promise.all([0, 1, 2].map((n) => startScriptedReplica(() => rowsOf({ n, run: 1 }))));
    for (const server of servers) server.comment = 'shard 1 of 2';
  });
  afterEach(async () => {
    await Promise.all(open.map((each) => each.close()));
    await Promise.allSettled(servers.map((server) => server.stop()));
  });

  const hostOf = (index: number) => new URL(servers[index]!.url).host;
  const urlOf = (indexes: readonly number[]) => indexes.map((index) => `${servers[index]!.url}/popsvc`).join(',');
  const openWriter = (indexes: readonly number[], shard: Shard): ClickHouseWriter => {
    const writer = openClickHouseWriter({ url: urlOf(indexes), cluster: 'main', shard, ...login });
    open.push(writer);
    return writer;
  };
  const openReader = (indexes: readonly number[], shard: Shard, cluster: string | undefined): ClickHouseReader => {
    const reader = openClickHouseReader({ url: urlOf(indexes), cluster, shard, ...login });
    open.push(reader);
    return reader;
  };
  const errorIn = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  const read = async (reader: ClickHouseReader) => (await reader.rows<{ n: number }>(sql`SELECT n FROM t`))[0]!.n;

  it('receives no statement and no insert', async () => {
    const writer = openWriter([0], second);
    const insert = { table: 't', columns: ['n'], body: Buffer.from('1'), token: 'one' };
    for (const work of [writer.insert(insert), writer.run('DROP TABLE t'), writer.rows('SELECT 1'), writer.ping()])
      expect(await errorIn(work))
        .to.be.instanceOf(WrongShardError)
        .with.property('message')
        .that.equals(
          `database popsvc on ${hostOf(0)} is shard 1 of 2, and CLICKHOUSE_URL lists it as shard 2 of 2: list all shards in the ` +
            'order of their first start, or name another database, which the projections fill from the log',
        );
    expect(servers[0]!.received).to.deep.equal([]);
  });

  it('receives no statement after its address was given to it', async () => {
    const writer = openWriter([0], first);
    await writer.run('ALTER TABLE t');
    servers[0]!.respond = () => errorOf(999, 'KEEPER_EXCEPTION');
    await errorIn(writer.run('ALTER TABLE t'));
    servers[0]!.comment = 'shard 2 of 2';
    expect(await errorIn(writer.run('ALTER TABLE t'))).to.be.instanceOf(WrongShardError);
    servers[0]!.respond = () => rowsOf();
    servers[0]!.comment = 'shard 1 of 2';
    await writer.run('ALTER TABLE t');
    expect(servers[0]!.received).to.have.length(3);
    servers[0]!.comment = 'shard 2 of 2';
    await errorIn(writer.ping());
    expect(await errorIn(writer.run('ALTER TABLE t'))).to.be.instanceOf(WrongShardError);
  });

  it('is not pinned, also if the other replicas are away', async () => {
    servers[1]!.comment = 'shard 2 of 2';
    const writer = openWriter([0, 1, 2], first);
    const keys = Array.from({ length: 12 }, (_, index) => `projection-${index}`);
    const pinned = await Promise.all(keys.map((key) => pinToServer(writer, key)));
    expect(new Set(pinned.map(({ server }) => new URL(server).host))).to.deep.equal(new Set([hostOf(0), hostOf(2)]));
    await servers[0]!.stop();
    await servers[2]!.stop();
    expect(await errorIn(pinToServer(writer, 'registry'))).to.be.instanceOf(Error);
    expect(servers[1]!.received).to.deep.equal([]);
  });

  it('is left out by work on each server, and degrades the readiness of its shard', async () => {
    servers[1]!.comment = 'shard 2 of 2';
    const writer = openWriter([0, 1, 2], first);
    const failures: unknown[] = [];
    await onEachServer(
      writer,
      (server) => server.run('CREATE TABLE t'),
      (_, error) => failures.push(error),
    );
    expect(failures).to.have.length(1);
    expect(failures[0]).to.be.instanceOf(WrongShardError);
    expect(servers.map(({ received }) => received.length)).to.deep.equal([1, 0, 1]);
    expect(await pingServers(writer)).to.deep.equal(degraded((failures[0] as Error).message));
    await servers[0]!.stop();
    await servers[2]!.stop();
    expect(await errorIn(pingServers(writer))).to.be.instanceOf(WrongShardError);
  });

  it('is not read, also if the other replicas are away', async () => {
    servers[0]!.comment = 'shard 2 of 2';
    const reader = openReader([0, 1], first, 'main');
    for (let count = 0; count < 4; count += 1) expect(await read(reader)).to.equal(1);
    await servers[1]!.stop();
    expect(await errorIn(read(reader))).to.include({ code: 'UNAVAILABLE' });
    expect(servers[0]!.received.filter((statement) => statement.includes('FROM t'))).to.deep.equal([]);
  });

  it('is not read as the only shard', async () => {
    const reader = openReader([0], onlyShard, undefined);
    for (const work of [read(reader), reader.ping()]) {
      const error = await errorIn(work);
      expect(error).to.include({ code: 'UNAVAILABLE' });
      expect(findWrongShard(error)?.message).to.match(/is shard 1 of 2, and CLICKHOUSE_URL lists it as shard 1 of 1/);
    }
    expect(servers[0]!.received).to.deep.equal([]);
    for (const comment of ['', 'a note of an operator']) {
      servers[0]!.comment = comment;
      expect(await read(openReader([0], onlyShard, undefined)), comment).to.equal(0);
    }
  });

  it('is not read by a reader of all shards', async () => {
    const [right, wrong] = [0, 1];
    const url = `${urlOf([right])};${urlOf([wrong])}`;
    const reader = openAllShardsReader({ url, cluster: 'main', ...login }, () => Promise.resolve(true));
    open.push(reader);
    expect(await read(reader)).to.equal(right);
    await servers[right]!.stop();
    expect(await errorIn(read(reader))).to.include({ code: 'UNAVAILABLE' });
    servers[wrong]!.comment = 'shard 2 of 2';
    await waitUntil(
      () => read(reader).catch(() => undefined),
      (n) => n === wrong,
    );
  });

  it('prevents the start, with a line for each, and one that is away does not', async () => {
    servers[1]!.comment = 'shard 2 of 2';
    const list = (...shards: string[]) => listServersOf({ url: shards.join(';'), ...login });
    await requireListedShards(list(urlOf([0]), urlOf([1])));
    const error = await errorIn(requireListedShards(list(urlOf([1, 2]), urlOf([0]))));
    expect(error).to.be.instanceOf(ConfigError);
    const lines = (error as Error).message.split('\n');
    expect(lines).to.have.length(2);
    expect(lines[0]).to.include(`on ${hostOf(1)} is shard 2 of 2, and CLICKHOUSE_URL lists it as shard 1 of 2`);
    expect(lines[1]).to.include(`on ${hostOf(0)} is shard 1 of 2, and CLICKHOUSE_URL lists it as shard 2 of 2`);
    await servers[1]!.stop();
    await requireListedShards(list(urlOf([1, 2]), 'http://127.0.0.1:1/popsvc'));
  });

  it('is logged and not verified when it is there again', async () => {
    const lines: { level: number; msg: string }[] = [];
    const log = createLog(
      'test',
      'info',
      new Writable({
        write(line: Buffer, _, done) {
          lines.push(JSON.parse(line.toString()) as (typeof lines)[number]);
          done();
        },
      }),
    );
    // Only tables that a failed query read are looked up there, and the failure is not logged again.
    const postgres = openPostgres({
      url: 'postgres://any@127.0.0.1:1/any',
      log: createLog('test', 'silent'),
      name: 't',
    });
    const [writer] = openShardWriters({ url: `${urlOf([0, 2])};${urlOf([1])}`, cluster: 'main', ...login });
    open.push(writer);
    servers[0]!.respond = () => errorOf(999, 'KEEPER_EXCEPTION');
    const end = new AbortController();
    const verified: string[] = [];
    const verifyRun = ({ server }: ClickHouseWriter) => Promise.resolve(void verified.push(server));
    const watching = watchForDamage(
      { postgres, writer, log, projections: [], verifyRun, onDamage: () => Promise.resolve() },
      end.signal,
    );
    const messages = () => lines.filter((line) => JSON.stringify(line).includes(hostOf(0)));
    const waitForMessages = (count: number) =>
      waitUntil(
        () => Promise.resolve(messages().length),
        (found) => found >= count,
      );
    await waitForMessages(1);
    servers[0]!.comment = 'shard 2 of 2';
    servers[0]!.respond = () => rowsOf();
    await waitForMessages(2);
    end.abort();
    await watching;
    await postgres.end();
    expect(messages().map(({ level, msg }) => [level, msg])).to.deep.equal([
      [40, 'failed to verify a replica of ClickHouse; retrying'],
      [50, 'a server of ClickHouse belongs to another shard and is not used'],
    ]);
    expect(verified).to.deep.equal([]);
  });
});
