import { randomUUID } from 'node:crypto';
import { formatItemId, ParkedEventsRetried, parkingStream, sequenceOf } from '@popsvc/contracts/events';
import {
  countParkedEvents,
  listParkedEvents,
  pauseProjection,
  planReplay,
  registerProjection,
} from '@popsvc/platform/postgres';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import { expect } from 'chai';
import { listEvent } from '../../support/list-events.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { dynamicSystem, flat } from '../dynamic-events/dynamic.fixture.ts';
import { build } from '../replay/building.fixture.ts';
import { expectSameTables, readTables } from '../rebuild.fixture.ts';
import { decide as decideAbout, parkedOf, type Refuses, runTo, tablesOf } from './parked.fixture.ts';

const projection = 'coffee';
const stream = 'pop-1.acme.20260820';
const limits = { rows: 10_000, bytes: 1e9, ageMs: 30 };
const numbers = (length: number) => Array.from({ length }, (_, index) => index);
const itemOf = (number: number, more: object = {}) => ({
  eventId: `play-${number}`,
  screenId: 'screen-1',
  campaignId: 'C-100',
  creativeId: 'CR-1',
  playedAt: new Date(Date.UTC(2026, 7, 20, 14) + number * 10_000).toISOString(),
  durationMs: 10_000,
  ...more,
});
const deviceWith = (more: object) => ({ devices: [{ ...smallRegistry.devices[0], ...more }] });
const only =
  (position: bigint): Refuses =>
  ({ sequence }) =>
    sequence === sequenceOf(position);
const failing = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => '',
    (error: unknown) => String(error),
  );

/** An older release refuses some events, a newer one accepts them. */
describe('parked events', function () {
  const dynamic = dynamicSystem();
  const run = (refuses?: Refuses, more: Parameters<typeof runTo>[2] = {}) =>
    runTo(dynamic.system, projection, { limits, ...(refuses && { refuses }), ...more });
  /** Decides about these events, or about all that are parked: to retry them, or to discard them for a reason. */
  const decide = (sequences?: readonly bigint[], reason?: string) =>
    decideAbout(dynamic.system, { projection, sequences, reason });
  const parked = () => parkedOf(dynamic.system, projection);
  /** Parks the play A. Returns its sequence. */
  const parkPlay = async (): Promise<bigint> => {
    const play = await dynamic.events.play('A');
    await run(only(play));
    return sequenceOf(play);
  };
  const append = (...plays: readonly object[]) => {
    const { type, data } = listEvent('PlaysRecorded', ...plays);
    return dynamic.system.append(stream, type, data);
  };
  const coffee = async (...columns: readonly string[]) =>
    (await dynamic.system.rows(coffeeDataset)).map((row) => columns.map((column) => row[column]));
  const shown = async () => (await coffee('EVENT_ID')).flat();
  const expectAsBuilt = async () => {
    expect(await parked()).to.satisfy((left: Awaited<ReturnType<typeof parked>>) =>
      left.every(([, state]) => state === 'discarded'),
    );
    await build(dynamic.system, projection, 2);
    await expectSameTables(dynamic.system, [2, 1]);
  };

  describe('that hold several items', () => {
    it('are parked, retried and discarded item by item, and the other items are projected', async () => {
      const position = await append(...numbers(5).map((number) => itemOf(number)), itemOf(5, { eventId: 7 }));
      await run(({ sequence }) => sequence > sequenceOf(position) && sequence % 2n === 1n);
      expect(await shown()).to.deep.equal(['play-0', 'play-2', 'play-4']);
      const items = await listParkedEvents(dynamic.system.postgres, { limit: 10 });
      expect(items.map(({ sequence, type }) => [formatItemId(BigInt(sequence)), type])).to.deep.equal(
        [1, 3, 5].map((index) => [`${position}:${index}`, 'PlaysRecorded']),
      );
      expect(JSON.parse(items[2]!.raw)).to.deep.include({ data: itemOf(5, { eventId: 7 }) });
      const discarded = [3, 5].map((index) => sequenceOf(position, index));
      expect(await decide(discarded, 'nonsense')).to.equal(2);
      expect(await decide([sequenceOf(position, 1)])).to.equal(1);
      await run();
      expect(await shown()).to.deep.equal(['play-0', 'play-1', 'play-2', 'play-4']);
      expect((await parked()).map(([sequence, state]) => [sequence, state])).to.deep.equal(
        discarded.map((sequence) => [String(sequence), 'discarded']),
      );
      await expectAsBuilt();
    });

    it('are parked whole, also if they are more than the limit of a minute', async () => {
      const { system } = dynamic;
      await registerProjection(system.postgres, projection, 1);
      const bad = numbers(150).map((number) => itemOf(number, { eventId: 7 }));
      await append(...bad, itemOf(200));
      await append(itemOf(201), ...bad, itemOf(202));
      const count = async () => (await countParkedEvents(system.postgres))[0]?.parked ?? 0;
      expect(await failing(run())).to.include('ParkingLimitReached');
      expect([await count(), await shown()]).to.deep.equal([150, ['play-200']]);
      await pauseProjection(system.postgres, projection, false);
      await run();
      expect([await count(), await shown()]).to.deep.equal([300, ['play-200', 'play-201', 'play-202']]);
    });

    it('are never split between batches, however small the limit of a batch is', async () => {
      for (const first of [0, 20, 40]) await append(...numbers(20).map((number) => itemOf(first + number)));
      await dynamic.system.projectOne(projection, { limits: { ...limits, rows: 5 } });
      // A batch writes the outcomes of its plays with its end as their version.
      const batches = await dynamic.system.writer.rows<{ plays: number }>(
        `SELECT toUInt32(count()) AS plays FROM receipts_g1 FINAL WHERE outcome = 'stored' GROUP BY version ORDER BY version`,
      );
      expect(batches.map(({ plays }) => plays)).to.deep.equal([20, 20, 20]);
      expect(await shown()).to.have.length(60);
      await expectAsBuilt();
    });
  });

  describe('that are retried', () => {
    it('count as if they had never been missing: the first play of an id', async () => {
      const { play, balance } = dynamic.events;
      const first = await play('A', { playedAt: '2026-08-20T14:00:00.000Z' });
      await play('A', { playedAt: '2026-08-20T14:05:00.000Z' });
      await dynamic.system.detection({ detectionId: 'p' });
      await run(only(first));
      expect(await parked()).to.deep.equal([[String(sequenceOf(first)), 'parked', 1]]);
      expect(await decide([sequenceOf(first)])).to.equal(1);
      await run();
      expect((await balance())[0]).to.include({ received: 2, stored: 1, conflict: 1 });
      expect(await coffee('EVENT_ID', 'SITE_ID', 'POP_TYPE')).to.deep.equal([['A', 2, 'VIEWER']]);
      await expectAsBuilt();
    });

    it('are recorded once until the projection has acted on them, and again if that had no success', async () => {
      const late = await dynamic.events.send([flat()]);
      const moveRequestsBack = () =>
        dynamic.system.postgres.query(
          `UPDATE parked_events SET decision_requested_at = decision_requested_at - interval '1 hour'`,
        );
      await run(only(late));
      expect(await Promise.all([decide(), decide(), decide()])).to.have.members([1, 0, 0]);
      await moveRequestsBack();
      expect(await decide()).to.equal(0);
      await run(only(late));
      expect(await parked()).to.deep.equal([[String(sequenceOf(late)), 'parked', 2]]);
      // The parked event is restored from a copy that does not contain the outcome.
      await dynamic.system.postgres.query(`UPDATE parked_events SET decision_requested_at = now() - interval '1 hour'`);
      expect(await decide([sequenceOf(late)])).to.equal(1);
      await dynamic.events.map();
      await run();
      expect(await shown()).to.deep.equal(['A']);
      await expectAsBuilt();
    });
  });

  it('stop the build of a generation unless they are discarded', async () => {
    const bad = await append({ eventId: 7 });
    await dynamic.events.play('A');
    await run();
    await tablesOf(dynamic.system, projection, 3);
    const buildThird = () => run(undefined, { generation: 3, poisonPolicy: 'stop' });
    expect(await failing(buildThird())).to.include(
      `PlaysRecorded at position ${bad}:0 in ${stream} cannot be projected into coffee`,
    );
    expect(await decide([sequenceOf(bad)], 'nonsense')).to.equal(1);
    await run();
    expect(await parked()).to.deep.equal([[String(sequenceOf(bad)), 'discarded', 1]]);
    await buildThird();
    await expectSameTables(dynamic.system, [3, 1]);
  });

  it('include items that a fold makes no row of, which stop a build', async () => {
    const position = await append(itemOf(0), itemOf(1));
    const loses: Refuses = ({ sequence }) => sequence === sequenceOf(position, 1);
    await run(undefined, { loses });
    expect(await shown()).to.deep.equal(['play-0']);
    const [lost] = await listParkedEvents(dynamic.system.postgres, { limit: 10 });
    expect(lost).to.include({ sequence: String(sequenceOf(position, 1)), error: 'the projection made no row of it' });
    await decide();
    await run(undefined, { loses });
    expect((await parked()).map(([, state, attempts]) => [state, attempts])).to.deep.equal([['parked', 2]]);
    await tablesOf(dynamic.system, projection, 3);
    expect(await failing(run(undefined, { loses, generation: 3, poisonPolicy: 'stop' }))).to.include(
      `PlaysRecorded at position ${position}:1 in ${stream} cannot be projected into coffee: the projection made no row of it`,
    );
    await decide();
    await run();
    await expectAsBuilt();
  });

  it('do not include events of the registry and mappings, which stop the projection until a release knows them or they are discarded', async () => {
    const { system, events } = dynamic;
    const refusing =
      (text: string): Refuses =>
      ({ stream: of, data }) =>
        of === 'registry-device.4' && JSON.stringify(data).includes(text);
    const stop = async (text: string): Promise<string> => {
      const error = await failing(run(refusing(text)));
      const position = /^UnfoldableEvent: DeviceChanged at position (\d+:0) in registry-device\.4 cannot/.exec(
        error,
      )?.[1];
      expect(error).to.include('into coffee: this release does not know such events.');
      expect(error).to.include(`popsvc events parked discard coffee --position ${position} --reason WHY`);
      expect(await parked()).to.deep.equal([]);
      return position!;
    };
    const from = { effective_from: '2026-08-01T00:00:00Z' };
    const site = { id: 20, name: 'Tokyo', network: 1, timezone: 'Asia/Tokyo' };
    await system.register({ sites: [site], locations: [{ id: 30, name: 'Platform', site: 20 }] });
    await events.play('A');
    await system.register(deviceWith({ name: 'Moved', location: 30, ...from }));
    await events.play('B', { playedAt: '2026-08-20T14:10:00.000Z' });
    await stop('"Moved"');
    expect(await coffee('EVENT_ID', 'SITE_ID')).to.deep.equal([['A', 2]]);
    await run();
    expect((await coffee('SITE_ID')).flat()).to.deep.equal([20, 20]);
    // A release that does not know the event cannot restore its state either.
    await stop('"Moved"');
    await system.register(deviceWith({ name: 'Moved back', location: 3, ...from }));
    await events.play('C', { playedAt: '2026-08-20T14:20:00.000Z' });
    const position = await stop('"Moved back"');
    expect(await decide([sequenceOf(BigInt(position.split(':')[0]!))], 'unknown')).to.equal(1);
    await run(refusing('"Moved back"'));
    expect((await coffee('SITE_ID')).flat()).to.deep.equal([20, 20, 20]);
    await expectAsBuilt();
  });

  it('cannot be decided about while a generation is being built, which would see only some of the decisions', async () => {
    const { postgres } = dynamic.system;
    await registerProjection(postgres, projection, 1);
    const sequences = [await parkPlay()];
    await planReplay(postgres, { projection, version: 1, verify: false });
    for (const reason of [undefined, 'because'])
      expect(await failing(decide(sequences, reason))).to.include('is being replayed');
    await postgres.query('UPDATE replays SET ended_at = now()');
    expect(await decide(sequences)).to.equal(1);
  });

  it('cannot be decided about if only the kept generation has parked them', async () => {
    const { system } = dynamic;
    await registerProjection(system.postgres, projection, 1);
    await parkPlay();
    await build(system, projection, 2);
    await system.postgres.query(
      `UPDATE generations SET state = CASE generation WHEN 1 THEN 'kept' ELSE 'live' END WHERE projection = 'coffee'`,
    );
    expect(await decide()).to.equal(0);
  });

  it('are not affected by a decision of an unknown type, which stops the projection there until it is discarded', async () => {
    const { system, events } = dynamic;
    await events.play('A');
    const metadata = { schemaVersion: ParkedEventsRetried.version + 1, receivedAt: new Date().toISOString() };
    const plays = async () => (await readTables(system, 1))['plays']!.length;
    for (const [type, before] of [
      [ParkedEventsRetried.type, 1],
      ['ParkedEventsMoved', 2],
    ] as const) {
      const { position } = await system.store.append(parkingStream(projection), [
        { id: randomUUID(), type, data: { projection, events: [] }, metadata },
      ]);
      await events.play(type);
      expect(await failing(run()))
        .to.include('UnfoldableEvent')
        .and.to.include(`position ${position}:0`);
      // The events before the decision are written.
      expect(await plays()).to.equal(before);
      expect(await parked()).to.deep.equal([]);
      if (before === 1) expect(await failing(build(system, projection, 2))).to.include('UnfoldableEvent');
      await decide([sequenceOf(position)], 'unknown type');
      await run();
    }
    expect(await plays()).to.equal(3);
  });
});
