import { mapEvent } from '@popsvc/domain/mappings';
import { expect } from 'chai';
import { eventWith, mapped, mappingWith, playWith, inLondon, unfit } from './given-mapping.ts';

describe('A field of a mapping', () => {
  it('is read at its path, in objects and lists', () => {
    const event = { unit: { frames: [{ 'frame.id': 'deep' }] } };
    expect(mapped({ mapping: { screenId: { path: 'unit.frames[0]["frame.id"]' } }, event })).to.deep.equal({
      play: playWith({ screenId: 'deep' }),
    });
  });

  for (const [what, sent, text] of [
    ['a whole number', 880, '880'],
    ['zero', 0, '0'],
    ['a number that JavaScript writes with an exponent', 1e-7, '0.0000001'],
    ['a small fraction of many digits', -1.25e-9, '-0.00000000125'],
    ['the greatest whole number JSON keeps', 9_007_199_254_740_991, '9007199254740991'],
    ['a boolean', true, 'true'],
    ['text with blanks around', '  a b ', 'a b'],
    ['text that looks like a number', '007', '007'],
  ] as const)
    it(`is text: ${what}`, () => {
      expect(mapped({ event: { screen: sent } })).to.deep.equal({ play: playWith({ screenId: text }) });
    });

  for (const [what, sent] of [
    ['empty text', ''],
    ['blanks', ' \t '],
    ['null', null],
    ['nothing', undefined],
  ] as const)
    it(`is missing: ${what}`, () => {
      expect(mapped({ event: { screen: sent } })).to.deep.equal({
        unfit: { code: 'missing', reason: 'screenId (screen) is missing' },
        eventId: 'p-1',
      });
    });

  for (const [what, sent, reason] of [
    ['a list', ['s'], 'screenId (screen): is a list, not a single value'],
    ['an object', { id: 's' }, 'screenId (screen): is an object, not a single value'],
    [
      'a number past 2^53, whose last digits JSON has lost',
      9_007_199_254_740_993,
      'screenId (screen): 9007199254740992 has lost digits; it must be sent as text',
    ],
  ] as const)
    it(`cannot be read: ${what}`, () => {
      expect(unfit({ event: { screen: sent } })).to.deep.equal({ code: 'unparsable', reason });
    });

  it('can be missing if a play does not require it', () => {
    const mapping = { siteId: { path: 'site' }, startReason: { path: 'why' }, context: { path: 'more' } };
    expect(mapped({ mapping })).to.deep.equal({ play: playWith() });
    const event = { site: 7, why: 'triggered', more: { any: ['thing'] } };
    expect(mapped({ mapping, event })).to.deep.equal({
      play: playWith({ siteId: '7', startReason: 'triggered', context: { any: ['thing'] } }),
    });
    expect(unfit({ mapping, event: { more: 'text' } })).to.deep.equal({
      code: 'unparsable',
      reason: 'context (more): is "text", not an object',
    });
  });

  it('can be a constant', () => {
    expect(mapped({ mapping: { campaignId: { const: 12 } } })).to.deep.equal({ play: playWith({ campaignId: '12' }) });
  });

  it('has a default if it is absent', () => {
    const mapping = { campaignId: { path: 'campaign', default: 'system' } };
    expect(mapped({ mapping, event: { campaign: ' ' } })).to.deep.equal({ play: playWith({ campaignId: 'system' }) });
    expect(mapped({ mapping })).to.deep.equal({ play: playWith() });
  });

  it('is translated by a map; unknown values stay, values mapped to null are absent', () => {
    const mapping = {
      startReason: { path: 'why', map: { 1: 'triggered', true: 'manual', none: '' }, default: 'filler' },
    };
    const reason = (why: unknown) => mapped({ mapping, event: { why } });
    expect(reason(1)).to.deep.equal({ play: playWith({ startReason: 'triggered' }) });
    expect(reason(true)).to.deep.equal({ play: playWith({ startReason: 'manual' }) });
    expect(reason('other')).to.deep.equal({ play: playWith({ startReason: 'other' }) });
    expect(reason('none')).to.deep.equal({ play: playWith({ startReason: 'filler' }) });
    expect(reason(undefined)).to.deep.equal({ play: playWith({ startReason: 'filler' }) });
    expect(reason('constructor')).to.deep.equal({ play: playWith({ startReason: 'constructor' }) });
  });

  it('can be mapped by its presence', () => {
    const mapping = { startReason: { path: 'trigger', when_present: 'triggered', when_absent: 'scheduled' } };
    for (const [trigger, startReason] of [
      ['temp>20C', 'triggered'],
      [0, 'triggered'],
      ['', 'scheduled'],
      [undefined, 'scheduled'],
    ])
      expect(mapped({ mapping, event: { trigger } })).to.deep.equal({ play: playWith({ startReason }) });
    expect(mapped({ mapping: { startReason: { path: 'trigger', when_present: 'triggered' } } })).to.deep.equal({
      play: playWith(),
    });
  });

  it('can be required without being part of a play', () => {
    const mapping = mappingWith({}, { required: ['buyer.id', 'name'] });
    const outcome = mapEvent(mapping, eventWith({ buyer: { id: 0 }, name: ' ' }), inLondon);
    expect(outcome).to.deep.equal({ unfit: { code: 'missing', reason: 'name is missing' }, eventId: 'p-1' });
    expect(mapEvent(mapping, eventWith({ buyer: { id: 0 }, name: 'n' }), inLondon)).to.have.property('play');
  });
});

describe('An event without an id', () => {
  const without = { event: { id: undefined } };

  it('gets the same id each time from screen, start, end, creative and campaign', () => {
    expect(mapped(without)).to.deep.equal({ play: playWith({ eventId: '422094e3-b1e0-5604-8ec0-c665de54eb03' }) });
  });

  it('gets another id if any of them differs', () => {
    const idOf = (event: object) => {
      const outcome = mapped({ event: { id: null, ...event } });
      return 'play' in outcome ? outcome.play.eventId : 'none';
    };
    const ids = [
      idOf({}),
      idOf({ screen: 's-2' }),
      idOf({ campaign: 'c-2' }),
      idOf({ asset: 'a-2' }),
      idOf({ start: '2026-09-14T10:00:00.001Z' }),
      idOf({ length: 10_001 }),
    ];
    expect(new Set(ids).size).to.equal(ids.length);
    expect(idOf({ start: '2026-09-14T12:00:00+02:00' }), 'the same instant written otherwise').to.equal(ids[0]);
  });

  it('gets an id also if the mapping has no id field', () => {
    expect(mapped({ ...without, mapping: { eventId: null } })).to.deep.equal(mapped(without));
  });
});

describe('Missing fields of an event', () => {
  it('are reported together, with the code of the first', () => {
    expect(mapped({ event: { screen: '', asset: [], start: 'noon', length: '' } })).to.deep.equal({
      unfit: {
        code: 'missing',
        reason:
          'screenId (screen) is missing; creativeId (asset): is a list, not a single value; playedAt (start): "noon" is not a time',
      },
      eventId: 'p-1',
    });
  });

  it('are quoted with at most 60 characters', () => {
    const { reason } = unfit({ event: { start: `${'x'.repeat(1_000_000)}\n` } }) as { reason: string };
    expect(reason).to.equal(`playedAt (start): "${'x'.repeat(59)}…" is not a time`);
  });
});
