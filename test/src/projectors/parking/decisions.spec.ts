import { randomUUID } from 'node:crypto';
import { ParkedEventsRetried, parkingStream, sequenceOf } from '@popsvc/contracts/events';
import { registerProjection, planReplay } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { build } from '../replay/building.fixture.ts';
import { dynamicSystem, flat } from '../dynamic-events/dynamic.fixture.ts';
import { decide, parkedOf, runTo } from './parked.fixture.ts';
import { readTables } from '../rebuild.fixture.ts';

const projection = 'coffee';
const limits = { rows: 10_000, bytes: 1e9, ageMs: 30 };

const failing = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => '',
    (error: unknown) => String(error),
  );

describe("operators' decisions about parked events", function () {
  const dynamic = dynamicSystem();
  const run = (more: Parameters<typeof runTo>[2] = {}) => runTo(dynamic.system, projection, { limits, ...more });
  const moveRequestsBack = () =>
    dynamic.system.postgres.query(
      `UPDATE parked_events SET decision_requested_at = decision_requested_at - interval '1 hour'`,
    );
  const expectAsBuilt = async (generation: number) => {
    await build(dynamic.system, projection, generation);
    const [live, built] = [await readTables(dynamic.system, 1), await readTables(dynamic.system, generation)];
    for (const [table, rows] of Object.entries(built)) expect(live[table], table).to.deep.equal(rows);
  };

  it('are recorded once until the projection has acted on them', async () => {
    const { system, events } = dynamic;
    const late = await events.send([flat()]);
    await run({ refuses: ({ sequence }) => sequence === sequenceOf(late) });
    const retry = () => decide(system, { projection, sequences: undefined });
    expect(await Promise.all([retry(), retry(), retry()])).to.have.members([1, 0, 0]);
    await moveRequestsBack();
    expect(await retry()).to.equal(0);
    await events.map();
    await run();
    expect(await parkedOf(system, projection)).to.deep.equal([]);
    await expectAsBuilt(2);
  });

  it('can be repeated after the projection acted on one without success', async () => {
    const { system, events } = dynamic;
    const bad = await events.play('A');
    const refuses = ({ sequence }: { readonly sequence: bigint }) => sequence === sequenceOf(bad);
    const retry = () => decide(system, { projection, sequences: [sequenceOf(bad)] });
    await run({ refuses });
    expect(await retry()).to.equal(1);
    await run({ refuses });
    // The parked event is restored from a copy that does not contain the outcome.
    await system.postgres.query(`UPDATE parked_events SET decision_requested_at = now() - interval '1 hour'`);
    expect(await retry()).to.equal(1);
    await run();
    expect(await parkedOf(system, projection)).to.deep.equal([]);
    await expectAsBuilt(2);
  });

  it('are refused while a generation is being built, which would see only some of them', async () => {
    const { system, events } = dynamic;
    await registerProjection(system.postgres, projection, 1);
    const bad = await events.play('A');
    await run({ refuses: ({ sequence }) => sequence === sequenceOf(bad) });
    await planReplay(system.postgres, { projection, version: 1, verify: false });
    const sequences = [sequenceOf(bad)];
    for (const reason of [undefined, 'because'])
      expect(await failing(decide(system, { projection, sequences, reason }))).to.include('is being replayed');
    await system.postgres.query('UPDATE replays SET ended_at = now()');
    expect(await decide(system, { projection, sequences })).to.equal(1);
  });

  it('are refused for events that only the kept generation has parked', async () => {
    const { system, events } = dynamic;
    await registerProjection(system.postgres, projection, 1);
    const bad = await events.play('A');
    await run({ refuses: ({ sequence }) => sequence === sequenceOf(bad) });
    await build(system, projection, 2);
    await system.postgres.query(
      `UPDATE generations SET state = CASE generation WHEN 1 THEN 'kept' ELSE 'live' END WHERE projection = 'coffee'`,
    );
    expect(await decide(system, { projection, sequences: undefined })).to.equal(0);
  });

  it('of an unknown type stop the projection there until they are discarded, and the events before them are written', async () => {
    const { system, events } = dynamic;
    await events.play('A');
    const metadata = { schemaVersion: ParkedEventsRetried.version + 1, receivedAt: new Date().toISOString() };
    const write = async (type: string) => {
      const { position } = await system.store.append(parkingStream(projection), [
        { id: randomUUID(), type, data: { projection, events: [] }, metadata },
      ]);
      return position;
    };
    const plays = async () => (await readTables(system, 1))['plays']!.length;
    for (const [type, before] of [
      [ParkedEventsRetried.type, 1],
      ['ParkedEventsMoved', 2],
    ] as const) {
      const decided = await write(type);
      await events.play(type);
      expect(await failing(run()))
        .to.include('UnknownDecision')
        .and.to.include(`position ${decided}:0`);
      expect(await plays()).to.equal(before);
      expect(await parkedOf(system, projection)).to.deep.equal([]);
      if (before === 1) expect(await failing(build(system, projection, 2))).to.include('UnfoldableEvent');
      await decide(system, { projection, sequences: [sequenceOf(decided)], reason: 'unknown type' });
      await run();
    }
    expect(await plays()).to.equal(3);
  });
});
