import { type ClickHouseWriter, openClickHouseWriter, pinToServer, runOnEachServer } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';
import { errorOf, rowsOf, type ScriptedReplica, startScriptedReplica } from './scripted-replica.fixture.ts';

describe('a writer of a cluster', () => {
  let replicas: ScriptedReplica[];
  let writer: ClickHouseWriter;
  beforeEach(async () => {
    replicas = await Promise.all([0, 1, 2].map((n) => startScriptedReplica(() => rowsOf({ n }))));
    const url = replicas.map((replica) => `${replica.url}/popsvc`).join(',');
    writer = openClickHouseWriter({ url, cluster: 'main', username: 'any', password: '' });
  });
  afterEach(async () => {
    await writer.close();
    await Promise.allSettled(replicas.map((replica) => replica.stop()));
  });
  const readFrom = async (of: ClickHouseWriter) => (await of.rows<{ n: number }>('SELECT n FROM t'))[0]!.n;
  const replicaOf = ({ server }: ClickHouseWriter) => replicas.findIndex(({ url }) => `${url}/` === server);

  it('fails with a replica that is unavailable, and uses the next one for further statements', async () => {
    expect(await readFrom(writer)).to.equal(0);
    await replicas[0]!.stop();
    expect(await readFrom(writer).catch(() => 'failed')).to.equal('failed');
    expect(await readFrom(writer)).to.equal(1);
    replicas[1]!.respond = () => errorOf(242, 'TABLE_IS_READ_ONLY');
    expect(await readFrom(writer).catch(() => 'failed')).to.equal('failed');
    expect(await readFrom(writer)).to.equal(2);
  });

  it('repeats an insert while the quorum of the one before it is not complete', async () => {
    let refusals = 0;
    replicas[0]!.respond = () => {
      refusals += 1;
      return refusals <= 3 ? errorOf(286, 'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE') : rowsOf();
    };
    await writer.insert({ table: 't', columns: ['n'], body: Buffer.from('1'), token: 'one' });
    expect(refusals).to.equal(4);
    expect(replicas[1]!.received).to.deep.equal([]);
  });

  it('does not repeat an insert whose outcome is unknown', async () => {
    replicas[0]!.respond = () => errorOf(319, 'UNKNOWN_STATUS_OF_INSERT');
    const insert = { table: 't', columns: ['n'], body: Buffer.from('1'), token: 'one' };
    expect(await writer.insert(insert).catch((error: unknown) => String(error))).to.match(/it failed/);
    expect(replicas[0]!.received).to.have.length(1);
  });

  it('pins each key to a server of its own, and to the next one if that does not respond', async () => {
    const keys = Array.from({ length: 30 }, (_, index) => `projection-${index}`);
    const pinned = await Promise.all(keys.map((key) => pinToServer(writer, key)));
    expect(new Set(pinned.map(replicaOf))).to.deep.equal(new Set([0, 1, 2]));
    for (const each of pinned) expect(await readFrom(each)).to.equal(replicaOf(each));
    await replicas[2]!.stop();
    const moved = await Promise.all(keys.map((key) => pinToServer(writer, key)));
    moved.forEach((each, index) => {
      const before = replicaOf(pinned[index]!);
      if (before === 2) expect(replicaOf(each)).to.be.oneOf([0, 1]);
      else expect(replicaOf(each), 'keys of other servers stay').to.equal(before);
    });
  });

  it('pins a key to the first server that is ready, or that responds if none is ready', async () => {
    const preferred = replicaOf(await pinToServer(writer, 'registry'));
    const isOther = (of: ClickHouseWriter) => Promise.resolve(replicaOf(of) !== preferred);
    expect(replicaOf(await pinToServer(writer, 'registry', isOther))).to.not.equal(preferred);
    const isFailing = () => Promise.reject(new Error('it failed'));
    expect(replicaOf(await pinToServer(writer, 'registry', isFailing))).to.equal(preferred);
    await replicas[preferred]!.stop();
    expect(replicaOf(await pinToServer(writer, 'registry', isFailing))).to.not.equal(preferred);
  });

  it('uses the next replica for further statements if one is behind the schema or lacks the database', async () => {
    replicas[0]!.respond = () => errorOf(529, 'NOT_A_LEADER');
    replicas[1]!.respond = () => errorOf(81, 'UNKNOWN_DATABASE');
    for (const expected of ['failed', 'failed', 2])
      expect(await readFrom(writer).catch(() => 'failed')).to.equal(expected);
  });

  it('runs a statement on every server, and skips one that lacks the table, unless it is its own', async () => {
    const pinned = await pinToServer(writer, 'registry');
    replicas[(replicaOf(pinned) + 1) % 3]!.respond = () => errorOf(60, 'UNKNOWN_TABLE');
    await runOnEachServer(pinned, 'SYSTEM SYNC REPLICA t');
    replicas[replicaOf(pinned)]!.respond = () => errorOf(60, 'UNKNOWN_TABLE');
    expect(await runOnEachServer(pinned, 'SYSTEM SYNC REPLICA t').catch(() => 'failed')).to.equal('failed');
  });

  it('runs a statement on every server, and skips one that does not respond', async () => {
    const pinned = await pinToServer(writer, 'registry');
    const other = (replicaOf(pinned) + 1) % 3;
    await replicas[other]!.stop();
    await runOnEachServer(pinned, 'SYSTEM RELOAD DICTIONARY d');
    const received = replicas.map((replica) => replica.received.filter((text) => text.startsWith('SYSTEM')).length);
    expect(received).to.deep.equal([0, 1, 2].map((index) => (index === other ? 0 : 1)));
  });

  it('fails if its own server does not respond to a statement for every server', async () => {
    const pinned = await pinToServer(writer, 'registry');
    await replicas[replicaOf(pinned)]!.stop();
    expect(await runOnEachServer(pinned, 'SYSTEM RELOAD DICTIONARY d').catch(() => 'failed')).to.equal('failed');
  });
});
