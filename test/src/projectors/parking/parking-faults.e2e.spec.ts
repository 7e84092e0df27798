import { wholeProjection } from '@popsvc/domain/partitioning';
import { sequenceOf } from '@popsvc/contracts/events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  registerProjection,
  countParkedEvents,
  holdGeneration,
  pauseProjection,
  releaseGeneration,
} from '@popsvc/platform/postgres';
import { runProjection } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { build } from '../replay/building.fixture.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { dynamicSystem, flat } from '../dynamic-events/dynamic.fixture.ts';
import { decide, parkedOf, runTo } from './parked.fixture.ts';
import { expectSameTables, readTables } from '../rebuild.fixture.ts';

const projection = 'coffee';
/** All events of a test fit into one batch. */
const wide = { rows: 10_000, bytes: 1e9, ageMs: 20, catchUpAgeMs: 2_000 };

const failing = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => '',
    (error: unknown) => String(error),
  );

describe('parked events after faults', function () {
  const dynamic = dynamicSystem();
  const parked = async () => (await countParkedEvents(dynamic.system.postgres))[0]?.parked ?? 0;

  it('are at most a hundred more each time that an operator resumes, also within one batch', async () => {
    const { system } = dynamic;
    await registerProjection(system.postgres, projection, 1);
    const bad = Array.from({ length: 230 }, () => ({ type: 'PlaysRecorded', data: { plays: [{ eventId: 7 }] } }));
    await system.appendAll('pop-1.acme.20260820', bad);
    const run = () => runTo(system, projection, { limits: wide });
    for (const expected of [100, 200]) {
      expect(await failing(run())).to.include('ParkingLimitReached');
      expect(await parked()).to.equal(expected);
      await pauseProjection(system.postgres, projection, false);
    }
    await run();
    expect(await parked()).to.equal(230);
  });

  it('are parked again after PostgreSQL was lost, at the position of their retry', async () => {
    const { system } = dynamic;
    const bad = await system.append('pop-1.acme.20260820', 'PlaysRecorded', { plays: [{ eventId: 7 }] });
    const run = () => runTo(system, projection, { limits: wide });
    await run();
    await decide(system, { projection, sequences: [sequenceOf(bad)] });
    await run();
    expect(await parkedOf(system, projection)).to.deep.equal([[String(sequenceOf(bad)), 'parked', 2]]);
    await system.postgres.query('DELETE FROM parked_events');
    await system.postgres.query('DELETE FROM checkpoints');
    await run();
    expect(await parkedOf(system, projection)).to.deep.equal([[String(sequenceOf(bad)), 'parked', 1]]);
  });

  it('are tried with the mappings after their retry, in a live run and in a build', async () => {
    const { system, events } = dynamic;
    const limits = { ...wide, ageMs: 50 };
    const late = await events.send([flat()]);
    await runTo(system, projection, { limits, refuses: ({ sequence }) => sequence === sequenceOf(late) });
    await events.map({ playedAt: { path: 'nowhere' } });
    await events.map({ duration: { path: 'nowhere', unit: 's' } });
    await runTo(system, projection, { limits });
    await decide(system, { projection, sequences: [sequenceOf(late)] });
    await runTo(system, projection, { limits });
    const states = async () =>
      (await readTables(system, 1))['quarantine']!.map((row) => (row as { state: string }).state);
    expect(await states()).to.deep.equal(['waiting']);
    await build(system, projection, 2);
    expect((await readTables(system, 2))['quarantine']).to.deep.equal((await readTables(system, 1))['quarantine']);
    await events.map();
    await runTo(system, projection, { limits });
    expect(await states()).to.deep.equal(['released']);
    await build(system, projection, 3);
    await expectSameTables(system, [3, 1]);
  });

  it('do not prevent a paused runner from ending at once', async () => {
    const { system } = dynamic;
    const key = { projection, generation: 1 };
    await registerProjection(system.postgres, projection, 1);
    await runTo(system, projection, { limits: wide });
    await holdGeneration(system.postgres, key, 50_000);
    await system.play({ eventId: 'A' });
    const stop = new AbortController();
    const coffee = allProjections.find(({ name }) => name === projection)!;
    const limits = { ...wide, ageMs: 20 };
    const running = runProjection(
      { ...system.parts, limits },
      { projection: coffee, generation: 1, partition: wholeProjection },
      stop.signal,
    );
    const held = async () => {
      const { rows } = await system.postgres.query<{ at: string | null }>(
        `SELECT held_position::text AS at FROM checkpoints WHERE projection = 'coffee'`,
      );
      return rows[0]!.at;
    };
    await waitUntil(held, (at) => at !== null, 20_000);
    stop.abort();
    expect(await Promise.race([running.then(() => 'ended'), sleep(3_000, 'still running')])).to.equal('ended');
    await releaseGeneration(system.postgres, key);
    await runTo(system, projection, { limits: wide });
    expect(await dynamic.events.plays()).to.have.length(1);
  });
});
