import { hash } from 'node:crypto';
import { listEvents } from '../../support/list-events.ts';
import { PlaysRecorded } from '@popsvc/contracts/events';
import { canonicalContent } from '@popsvc/domain/intake';
import { expect } from 'chai';
import { at, coffeeSystem } from './coffee.fixture.ts';

describe('coffee and repeated or superseding events', () => {
  const coffee = coffeeSystem();

  it('replaces plays without audience by the rows of a detection, and these by those of its revision', async () => {
    await coffee.projectAfterEach(coffee.spots);
    expect((await coffee.rows()).map((row) => [row['EVENT_ID'], row['POP_TYPE'], row['WATCHERID']])).to.deep.equal(
      ['A', 'B', 'C', 'D'].map((event) => [event, 'UNMEASURED', null]),
    );
    await coffee.projectAfterEach(coffee.person);
    // The worked example of test/src/domain/audience-example.spec.ts.
    expect(await coffee.readMeasures()).to.deep.equal([
      ['A', 4, 1.2, 30, [1, 1, 1, 0, 0]],
      ['B', 10, 9, 90, [1, 1, 1, 1, 1]],
      ['C', 10, 0.3, 3, [1, 1, 0, 0, 0]],
      ['D', 1.4, 0, 0, [1, 0, 0, 0, 0]],
    ]);
    await coffee.projectAfterEach(() =>
      coffee.person({ revision: 1, startedAt: at(31), endedAt: at(39), watches: [] }),
    );
    expect((await coffee.readMeasures()).map(([event, presence]) => [event, presence])).to.deep.equal([
      ['A', 0],
      ['B', 0],
      ['C', 0],
      ['D', 8],
    ]);
    await coffee.projectAfterEach(() => coffee.person());
    expect(
      (await coffee.readMeasures()).map(([event, presence]) => [event, presence]),
      'a lower revision sent later',
    ).to.deep.equal([
      ['A', 0],
      ['B', 0],
      ['C', 0],
      ['D', 8],
    ]);
  });

  it('keeps the first of two plays with the same id, whatever start the second has', async () => {
    const early = { eventId: 'P', playedAt: '2026-07-31T23:59:50.000Z' };
    const late = { eventId: 'P', playedAt: '2026-08-01T00:00:10.000Z', durationMs: 5_000 };
    await coffee.projectAfterEach(
      () => coffee.system.play(early),
      () => coffee.system.play(late),
    );
    expect((await coffee.rows()).map((row) => row['PLAYOUT'])).to.deep.equal([10]);
    const receipts = await coffee.system.writer.rows<{ n: number }>(
      'SELECT uniqExact(content_hash) AS n FROM plays_live',
    );
    expect(receipts[0]!.n).to.equal(2);
  });

  it('stores a repeated play once, within a batch and across batches', async () => {
    const play = () => coffee.system.play({ eventId: 'P' });
    await coffee.projectAfterEach(play, play);
    await play();
    await coffee.system.play({ eventId: 'Q', playedAt: at(30) });
    await coffee.projectAfterEach(play);
    expect((await coffee.rows()).map((row) => row['EVENT_ID'])).to.deep.equal(['P', 'Q']);
  });

  it('stores the SHA-256 of the canonical form of a play', async () => {
    const play = { ...PlaysRecorded.example.plays[0]!, context: { b: 1, a: { d: [2], c: null } } };
    await coffee.system.appendAll('pop-1.acme.20260820', listEvents('PlaysRecorded', [play], 1));
    await coffee.system.projectOne('coffee');
    const rows = await coffee.system.writer.rows('SELECT lower(hex(content_hash)) AS hash FROM plays_live');
    expect(rows).to.deep.equal([{ hash: hash('sha256', canonicalContent(play)) }]);
  });

  it('accepts plays of every month since 2000 in one batch', async () => {
    const months = Array.from({ length: 320 }, (_, month) => new Date(Date.UTC(2000, month, 1)).toISOString());
    const plays = months.map((playedAt) => ({ ...PlaysRecorded.example.plays[0], eventId: playedAt, playedAt }));
    await coffee.system.projectOne('coffee');
    await coffee.system.appendAll('pop-1.acme.20260820', listEvents('PlaysRecorded', plays, 100));
    await coffee.system.projectOne('coffee');
    const [rows] = await coffee.system.writer.rows<{ n: number }>('SELECT toUInt32(count()) AS n FROM coffee_live');
    expect(rows!.n).to.equal(320);
  });
});
