import { randomUUID } from 'node:crypto';
import { ParkedEventsRetried, parkingStream } from '@popsvc/contracts/events';
import { registerProjection, planReplay } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { build } from './engine/replay/building.fixture.ts';
import { dynamicSystem, flat } from './dynamic.fixture.ts';
import { decide, parkedOf, runTo } from './parked.fixture.ts';
import { readTables } from './rebuilt.fixture.ts';

const projection = 'coffee';
const limits = { rows: 10_000, bytes: 1e9, ageMs: 30 };

const failing = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => '',
    (error: unknown) => String(error),
  );

describe('what operators decide about parked events', function () {
  this.timeout(60_000);
  const dynamic = dynamicSystem();
  const run = (more: Parameters<typeof runTo>[2] = {}) => runTo(dynamic.system, projection, { limits, ...more });
  const askedLongAgo = () =>
    dynamic.system.postgres.query(
      `UPDATE parked_events SET decision_requested_at = decision_requested_at - interval '1 hour'`,
    );
  const expectAsBuilt = async (generation: number) => {
    await build(dynamic.system, projection, generation);
    const [live, built] = [await readTables(dynamic.system, 1), await readTables(dynamic.system, generation)];
    for (const [table, rows] of Object.entries(built)) expect(live[table], table).to.deep.equal(rows);
  };

  it('is decided once, however long it takes until it is done', async () => {
    const { system, tell } = dynamic;
    const late = await tell.send([flat()]);
    await run({ refuses: ({ position }) => position === late });
    const retry = () => decide(system, { projection, positions: undefined });
    expect(await Promise.all([retry(), retry(), retry()])).to.have.members([1, 0, 0]);
    await askedLongAgo();
    expect(await retry()).to.equal(0);
    await tell.map();
    await run();
    expect(await parkedOf(system, projection)).to.deep.equal([]);
    await expectAsBuilt(2);
  });

  it('may be decided again once it is done and was of no avail', async () => {
    const { system, tell } = dynamic;
    const bad = await tell.play('A');
    const refuses = ({ position }: { readonly position: bigint }) => position === bad;
    const retry = () => decide(system, { projection, positions: [String(bad)] });
    await run({ refuses });
    expect(await retry()).to.equal(1);
    await run({ refuses });
    // Somebody restored a copy in which the answer is missing.
    await system.postgres.query(`UPDATE parked_events SET decision_requested_at = now() - interval '1 hour'`);
    expect(await retry()).to.equal(1);
    await run();
    expect(await parkedOf(system, projection)).to.deep.equal([]);
    await expectAsBuilt(2);
  });

  it('is not decided while a generation is built, which would know of it in part', async () => {
    const { system, tell } = dynamic;
    await registerProjection(system.postgres, projection, 1);
    const bad = await tell.play('A');
    await run({ refuses: ({ position }) => position === bad });
    await planReplay(system.postgres, { projection, version: 1, verify: false });
    const positions = [String(bad)];
    for (const reason of [undefined, 'because'])
      expect(await failing(decide(system, { projection, positions, reason }))).to.include('is being replayed');
    await system.postgres.query('UPDATE replays SET ended_at = now()');
    expect(await decide(system, { projection, positions })).to.equal(1);
  });

  it('is not decided for what the live generation has folded and one that is kept has not', async () => {
    const { system, tell } = dynamic;
    await registerProjection(system.postgres, projection, 1);
    const bad = await tell.play('A');
    await run({ refuses: ({ position }) => position === bad });
    await build(system, projection, 2);
    await system.postgres.query(
      `UPDATE generations SET state = CASE generation WHEN 1 THEN 'kept' ELSE 'live' END WHERE projection = 'coffee'`,
    );
    expect(await decide(system, { projection, positions: undefined })).to.equal(0);
  });

  it('holds up a build that cannot act on it, after what came before it, until another one does or it is discarded', async () => {
    const { system, tell } = dynamic;
    await tell.play('A');
    const metadata = { schemaVersion: ParkedEventsRetried.version + 1, receivedAt: new Date().toISOString() };
    const write = async (type: string) => {
      const { position } = await system.store.append(parkingStream(projection), [
        { id: randomUUID(), type, data: { projection, events: [] }, metadata },
      ]);
      return String(position);
    };
    const plays = async () => (await readTables(system, 1))['plays']!.length;
    for (const [type, before] of [
      [ParkedEventsRetried.type, 1],
      ['ParkedEventsMoved', 2],
    ] as const) {
      const decided = await write(type);
      await tell.play(type);
      expect(await failing(run()))
        .to.include('UnknownDecision')
        .and.to.include(`position ${decided}`);
      expect(await plays()).to.equal(before);
      expect(await parkedOf(system, projection)).to.deep.equal([]);
      if (before === 1) expect(await failing(build(system, projection, 2))).to.include('UnfoldableEvent');
      await decide(system, { projection, positions: [decided], reason: 'nobody knows it' });
      await run();
    }
    expect(await plays()).to.equal(3);
  });
});
