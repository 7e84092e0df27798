import { parkingStream, sequenceOf } from '@popsvc/contracts/events';
import { listShards } from '@popsvc/domain/partitioning';
import { EventStoreUnavailable } from '@popsvc/platform/event-store';
import { planReplay, registerProjection } from '@popsvc/platform/postgres';
import { allProjections } from '@popsvc/projectors/projections';
import { projectionInShard } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import { startTestOps, type TestOps } from './ops.fixture.ts';

const declarations = listShards(2).flatMap((shard) =>
  allProjections.map((projection) => projectionInShard(projection, shard)),
);
const [first, second] = ['coffee@1of2', 'coffee@2of2'];

const unavailable = new EventStoreUnavailable('no connection');

describe('decisions about parked events of a projection in two shards', function () {
  let ops: TestOps;
  /** Positions of an event of the registry, which both shards read, and of an event of a network of the first shard. */
  let [ofRegistry, ofNetwork] = [0n, 0n];
  /** Whether events cannot be read by their position. */
  let isUnavailable = false;
  before(async () => {
    ops = await startTestOps({ declarations }, (store) => ({
      ...store,
      readEventAt: (position) => (isUnavailable ? Promise.reject(unavailable) : store.readEventAt(position)),
    }));
    const append = async (stream: string) => {
      const metadata = { schemaVersion: 1, receivedAt: new Date().toISOString() };
      const { position } = await ops.store.append(stream, [
        { id: crypto.randomUUID(), type: 'Unreadable', data: {}, metadata },
      ]);
      return position;
    };
    ofRegistry = await append('registry-network.2');
    ofNetwork = await append('pop-2.acme.20260820');
    for (const projection of [first, second]) await registerProjection(ops.postgres, projection, 1);
  });
  beforeEach(async () => {
    await ops.postgres.query('DELETE FROM parked_events');
    await ops.postgres.query('DELETE FROM checkpoints');
    await ops.postgres.query('DELETE FROM replays');
    await ops.postgres.query('DELETE FROM projection_status');
  });
  after(() => ops.close());

  const park = (projection: string, position: bigint, stream: string) =>
    ops.postgres.query(
      `INSERT INTO parked_events (projection, generation, sequence, stream, type, error, raw)
       VALUES ($1, 1, $2, $3, 'Unreadable', 'unreadable', '{}')`,
      [projection, sequenceOf(position), stream],
    );
  const parkInBoth = () => Promise.all([first, second].map((each) => park(each, ofRegistry, 'registry-network.2')));
  const decide = async (action: 'retry' | 'discard', projection: string, position: bigint) => {
    const reason = action === 'discard' ? { reason: 'unreadable' } : {};
    const { status, body } = await ops.request('POST', `/parked/${action}`, {
      projection,
      positions: [`${position}:0`],
      ...reason,
    });
    const { events, message = '' } = body as { events?: number; message?: string };
    return { status, events, message };
  };
  const listPending = async (query = '') => {
    const { body } = await ops.request('GET', `/parked${query}`);
    const { parked } = body as { parked: readonly { projection: string; decision_pending: boolean }[] };
    return parked.map(({ projection, decision_pending: isPending }) => [projection, isPending]);
  };
  const countDecisions = async () => {
    const positions: bigint[] = [];
    for await (const { position } of ops.store.readStream(parkingStream('coffee'))) positions.push(position);
    return positions.length;
  };

  it('are refused for a projection without its shard, and for a shard that does not exist', async () => {
    await parkInBoth();
    const before = await countDecisions();
    for (const projection of ['coffee', 'coffee@1of3'])
      for (const action of ['retry', 'discard'] as const) {
        const { status, message } = await decide(action, projection, ofRegistry);
        expect(status, `${action} ${projection}`).to.equal(404);
        expect(message).to.include(first).and.to.include(second);
      }
    expect(await countDecisions()).to.equal(before);
  });

  it('apply to each shard that has parked the event', async () => {
    await parkInBoth();
    expect(await decide('retry', first, ofRegistry)).to.include({ status: 200, events: 1 });
    expect(await listPending()).to.deep.equal([
      [first, true],
      [second, true],
    ]);
    expect(await listPending(`?projection=${second}`)).to.deep.equal([[second, true]]);
    const { status, message } = await decide('retry', second, ofRegistry);
    expect(status).to.equal(404);
    expect(message).to.include('a decision is already recorded');
  });

  it('are repeated only after all shards have handled the last one', async () => {
    await parkInBoth();
    await decide('retry', first, ofRegistry);
    await ops.postgres.query(`UPDATE parked_events SET decision_requested_at = now() - interval '1 hour'`);
    const moveTo = (projection: string, position: bigint) =>
      ops.postgres.query(
        `INSERT INTO checkpoints AS c (projection, generation, position, log_id) VALUES ($1, 1, $2, '')
         ON CONFLICT (projection, generation, partition) DO UPDATE SET position = excluded.position`,
        [projection, position],
      );
    await moveTo(first, 1n << 60n);
    await moveTo(second, ofNetwork);
    expect((await decide('retry', first, ofRegistry)).status).to.equal(404);
    await moveTo(second, 1n << 60n);
    expect(await decide('retry', first, ofRegistry)).to.include({ status: 200, events: 1 });
  });

  it('are refused while the projection is replayed in one of the shards', async () => {
    await parkInBoth();
    const before = await countDecisions();
    await planReplay(ops.postgres, { projection: second, version: 1, verify: false });
    for (const [action, position] of [
      ['retry', ofRegistry],
      ['discard', ofRegistry],
      ['discard', ofNetwork],
    ] as const) {
      const { status, message } = await decide(action, first, position);
      expect(status, action).to.equal(409);
      expect(message).to.include(`${second} is being replayed`);
    }
    expect(await countDecisions()).to.equal(before);
  });

  it('are refused while the projection is replayed in a set of another number of shards', async () => {
    await parkInBoth();
    await registerProjection(ops.postgres, 'coffee@3of5', 1);
    await planReplay(ops.postgres, { projection: 'coffee@3of5', version: 1, verify: false });
    const { status, message } = await decide('retry', first, ofRegistry);
    expect(status).to.equal(409);
    expect(message).to.include('coffee@3of5 is being replayed');
    await ops.postgres.query("DELETE FROM read_models WHERE projection = 'coffee@3of5'");
  });

  it('refuse to discard an event that is not parked unless an error of the projection or of its last replay names it', async () => {
    const before = await countDecisions();
    const refused = await decide('discard', first, ofNetwork);
    expect(refused.status).to.equal(404);
    expect(refused.message)
      .to.include(`${first} has nothing parked at ${ofNetwork}:0`)
      .and.to.include('names its position');
    expect(await countDecisions()).to.equal(before);
    await planReplay(ops.postgres, { projection: first, version: 1, verify: false });
    const nameInReplay = (position: bigint) =>
      ops.postgres.query(`UPDATE replays SET state = 'failed', ended_at = now(), error = $1`, [
        `Unreadable at position ${position}:0 in pop-2.acme.20260820 cannot be projected`,
      ]);
    // A position that begins with the same digits.
    await nameInReplay(ofNetwork * 10n);
    expect((await decide('discard', first, ofNetwork)).status).to.equal(404);
    await nameInReplay(ofNetwork);
    isUnavailable = true;
    const { status } = await decide('discard', first, ofNetwork);
    isUnavailable = false;
    expect(status).to.equal(503);
    expect(await decide('discard', first, ofNetwork)).to.include({ status: 200, events: 1 });
  });

  it('discard an event that is not parked only in the shard of its network', async () => {
    for (const [projection, position] of [
      [first, ofNetwork],
      [second, ofRegistry],
    ] as const)
      await ops.postgres.query(
        `INSERT INTO projection_status (projection, generation, state, error, owner) VALUES ($1, 1, 'failing', $2, '')`,
        [projection, `Unreadable at position ${position}:0 in a stream cannot be projected`],
      );
    const { status, message } = await decide('discard', second, ofNetwork);
    expect(status).to.equal(404);
    expect(message).to.include(`${second} has nothing parked at ${ofNetwork}:0`);
    expect(await decide('discard', first, ofNetwork)).to.include({ status: 200, events: 1 });
    expect(await decide('discard', second, ofRegistry)).to.include({ status: 200, events: 1 });
  });
});
