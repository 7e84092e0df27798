import {
  allEvents,
  DynamicPlaysRecorded,
  type EventMetadata,
  isListEvent,
  maxEventItems,
  PlaysRecorded,
  sequenceOf,
} from '@popsvc/contracts/events';
import type { LogEvent } from '@popsvc/platform/event-store';
import { readItem, splitEvent } from '@popsvc/projectors/engine';
import { expect } from 'chai';

const metadata = { schemaVersion: 1, receivedAt: '2026-08-20T14:00:00.000Z', network: 1, vendor: 'acme' };
const [play] = PlaysRecorded.example.plays;
interface Given {
  readonly type?: string;
  readonly about?: EventMetadata;
}
const event = (data: unknown, { type = PlaysRecorded.type, about = metadata }: Given = {}): LogEvent => ({
  id: 'an id',
  type,
  data,
  metadata: about,
  stream: 'pop-1.acme.20260820',
  revision: 3n,
  position: 70n,
  recordedAtMs: 5,
});

describe('the items of a log event', () => {
  for (const definition of allEvents)
    it(`can be read: ${definition.type}`, () => {
      const items = splitEvent(event(definition.example, { type: definition.type }));
      const read = items.map(readItem);
      if (isListEvent(definition)) expect(read).to.deep.equal(definition.splitItems(definition.example));
      else expect(read).to.deep.equal([definition.example]);
    });

  it('have their sequence, and what their event has', () => {
    const items = splitEvent(event({ plays: [play, { ...play, eventId: 'other' }] }));
    expect(items.map(({ sequence }) => sequence)).to.deep.equal([sequenceOf(70n, 0), sequenceOf(70n, 1)]);
    expect(items.map(({ data }) => data)).to.deep.equal([play, { ...play, eventId: 'other' }]);
    for (const item of items)
      expect(item).to.include({ eventId: 'an id', type: 'PlaysRecorded', revision: 3n, recordedAtMs: 5, metadata });
  });

  it('have the fields that all items of an event share', () => {
    const data = {
      schemaVersion: 'flat-1',
      items: [{ a: 1 }, { b: 2 }],
      maxAgeDays: 3,
      bulk: { jobId: 'job', rows: [7, 9] },
    };
    const shared = { schemaVersion: 'flat-1', maxAgeDays: 3 };
    expect(splitEvent(event(data, { type: DynamicPlaysRecorded.type })).map(readItem)).to.deep.equal([
      { ...shared, event: { a: 1 }, bulk: { jobId: 'job', row: 7 } },
      { ...shared, event: { b: 2 }, bulk: { jobId: 'job', row: 9 } },
    ]);
  });

  it('are read one by one: an invalid one does not affect the others', () => {
    const [first, second, third] = splitEvent(event({ plays: [play, { ...play, eventId: 7 }, play] }));
    expect(readItem(first)).to.deep.equal(play);
    expect(() => readItem(second!)).to.throw('expected string');
    expect(readItem(third!)).to.deep.equal(play);
  });

  for (const [what, broken, message] of [
    ['has no list', event({}), 'plays: must be a list'],
    ['has no data', event(null), 'plays: must be a list'],
    ['is not JSON', event(new Uint8Array([1])), 'plays: must be a list'],
    ['has an empty list', event({ plays: [] }), 'must have 1 to 1000 items, has 0'],
    [
      'has too many items',
      event({ plays: Array(maxEventItems + 1).fill(play) }),
      'must have 1 to 1000 items, has 1001',
    ],
    [
      'has no valid receivedAt',
      event({ plays: [play] }, { about: { ...metadata, receivedAt: 'never' } }),
      'receivedAt',
    ],
    ['was written by a former release', event(play, { type: 'PopRecorded' }), 'a release before 0.1.0-alpha.3'],
  ] as const)
    it(`are one that cannot be read if the event ${what}`, () => {
      const items = splitEvent(broken);
      expect(items.map(({ sequence, data }) => [sequence, data])).to.deep.equal([[sequenceOf(70n), broken.data]]);
      expect(() => readItem(items[0])).to.throw(message);
    });

  it('cannot be read if a newer release wrote the event', () => {
    const items = splitEvent(event({ plays: [play, play] }, { about: { ...metadata, schemaVersion: 2 } }));
    expect(items).to.have.length(2);
    for (const item of items) expect(() => readItem(item)).to.throw('a newer release wrote PlaysRecorded');
  });

  it('are nothing for an event of an unknown type', () => {
    expect(splitEvent(event({ any: 1 }, { type: 'PlayImagined' })).map(readItem)).to.deep.equal([undefined]);
  });
});
