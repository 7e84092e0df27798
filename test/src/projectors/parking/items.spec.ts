import { formatItemId, sequenceOf } from '@popsvc/contracts/events';
import { countParkedEvents, listParkedEvents, pauseProjection, registerProjection } from '@popsvc/platform/postgres';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import { expect } from 'chai';
import { listEvent } from '../../support/list-events.ts';
import { dynamicSystem } from '../dynamic-events/dynamic.fixture.ts';
import { build } from '../replay/building.fixture.ts';
import { readTables } from '../rebuild.fixture.ts';
import { decide, parkedOf, type Refuses, runTo } from './parked.fixture.ts';

const projection = 'coffee';
const stream = 'pop-1.acme.20260820';
const limits = { rows: 10_000, bytes: 1e9, ageMs: 30 };
const play = (number: number, more: object = {}) => ({
  eventId: `play-${number}`,
  screenId: 'screen-1',
  campaignId: 'C-100',
  creativeId: 'CR-1',
  playedAt: new Date(Date.UTC(2026, 7, 20, 14) + number * 10_000).toISOString(),
  durationMs: 10_000,
  ...more,
});
const numbers = (length: number) => Array.from({ length }, (_, index) => index);

describe('items of an event that cannot be projected', function () {
  const dynamic = dynamicSystem();
  const run = (refuses?: Refuses, more: object = {}) =>
    runTo(dynamic.system, projection, { limits, ...(refuses && { refuses }), ...more });
  const append = async (...plays: readonly unknown[]) => {
    const { type, data } = listEvent('PlaysRecorded', ...plays);
    return dynamic.system.append(stream, type, data);
  };
  const shown = async () => (await dynamic.system.rows(coffeeDataset)).map((row) => row['EVENT_ID']);
  const expectAsBuilt = async (generation: number) => {
    await build(dynamic.system, projection, generation);
    const [live, built] = [await readTables(dynamic.system, 1), await readTables(dynamic.system, generation)];
    for (const [table, rows] of Object.entries(built)) expect(live[table], table).to.deep.equal(rows);
  };

  it('are parked alone, by position and index, and the others of the event are projected', async () => {
    const position = await append(play(0), play(1, { eventId: 7 }), play(2), play(3, { durationMs: 'long' }));
    await run();
    expect(await shown()).to.deep.equal(['play-0', 'play-2']);
    const parked = await listParkedEvents(dynamic.system.postgres, { limit: 10 });
    expect(parked.map(({ sequence, type }) => [formatItemId(BigInt(sequence)), type])).to.deep.equal([
      [`${position}:1`, 'PlaysRecorded'],
      [`${position}:3`, 'PlaysRecorded'],
    ]);
    expect(JSON.parse(parked[0]!.raw)).to.deep.include({ data: play(1, { eventId: 7 }) });
  });

  it('are retried and discarded one by one', async () => {
    const { system } = dynamic;
    const position = await append(...numbers(5).map((number) => play(number)));
    const isOdd: Refuses = ({ sequence }) => sequence > sequenceOf(position) && sequence % 2n === 1n;
    await run(isOdd);
    expect(await shown()).to.deep.equal(['play-0', 'play-2', 'play-4']);
    expect(await decide(system, { projection, sequences: [sequenceOf(position, 3)], reason: 'nonsense' })).to.equal(1);
    expect(await decide(system, { projection, sequences: [sequenceOf(position, 1)] })).to.equal(1);
    await run();
    expect(await shown()).to.deep.equal(['play-0', 'play-1', 'play-2', 'play-4']);
    expect((await parkedOf(system, projection)).map(([sequence, state]) => [sequence, state])).to.deep.equal([
      [String(sequenceOf(position, 3)), 'discarded'],
    ]);
    await expectAsBuilt(2);
  });

  it('are parked together, also if they are more than the limit of a minute', async () => {
    const { system } = dynamic;
    await registerProjection(system.postgres, projection, 1);
    const bad = (count: number) => numbers(count).map((number) => play(number, { eventId: 7 }));
    await append(...bad(150), play(200));
    await append(play(201), ...bad(150), play(202));
    const parked = async () => (await countParkedEvents(system.postgres))[0]?.parked ?? 0;
    const failure = await run().catch((error: unknown) => String(error));
    expect(failure).to.include('ParkingLimitReached');
    expect([await parked(), await shown()]).to.deep.equal([150, ['play-200']]);
    await pauseProjection(system.postgres, projection, false);
    await run();
    expect([await parked(), await shown()]).to.deep.equal([300, ['play-200', 'play-201', 'play-202']]);
  });

  it('and the others are in one batch, however small its limit is', async () => {
    for (let first = 0; first < 60; first += 20) await append(...numbers(20).map((number) => play(first + number)));
    await dynamic.system.projectOne(projection, { limits: { ...limits, rows: 5 } });
    const batches = await dynamic.system.writer.rows<{ plays: number }>(
      `SELECT toUInt32(plays) AS plays FROM (SELECT rows / 2 AS plays FROM progress_coffee_g1 ORDER BY pos)
       WHERE plays > 1`,
    );
    // Each play has a receipt and a five-minute span. The registry is one row.
    expect(batches.map(({ plays }) => plays)).to.deep.equal([20, 20, 20]);
    expect(await shown()).to.have.length(60);
    await expectAsBuilt(2);
  });
});
