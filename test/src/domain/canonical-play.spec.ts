import { PopEvent } from '@popsvc/contracts/commands';
import { PlaysRecorded } from '@popsvc/contracts/events';
import { toRecordedPlay, canonicalContent } from '@popsvc/domain/intake';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from './runs.ts';

const play = (more: Partial<PopEvent> = {}): PopEvent =>
  PopEvent.parse({
    eventId: 'play-1',
    screenId: 'screen-1',
    campaignId: 'C-100',
    creativeId: 'CR-1',
    playedAt: '2026-08-20T16:03:07.25+02:00',
    durationMs: 10_000,
    ...more,
  });

describe('a canonical play', () => {
  it('has its instant in UTC with milliseconds and the other fields as sent', () => {
    const sent = play({ siteId: 's', startReason: 'Trigger', context: { b: [1, { a: 2 }] }, device: { os: 'x' } });
    expect(toRecordedPlay(sent)).to.deep.equal({ ...sent, playedAt: '2026-08-20T14:03:07.250Z' });
  });
  it('fits the schema of the event', () =>
    expect(PlaysRecorded.itemSchema.parse(toRecordedPlay(play()))).to.deep.equal(toRecordedPlay(play())));
});

describe('the content of a play', () => {
  it('is the same for any notation of the instant', () =>
    expect(canonicalContent(play())).to.equal(canonicalContent(play({ playedAt: '2026-08-20T14:03:07.2500Z' }))));
  it('is the same before and after the conversion', () =>
    expect(canonicalContent(toRecordedPlay(play()))).to.equal(canonicalContent(play())));
  it('is the same for any order of keys, at every depth', () =>
    expect(canonicalContent(play({ context: { a: 1, b: { c: [{ d: 1, e: 2 }], f: 3 } } }))).to.equal(
      canonicalContent(play({ context: { b: { f: 3, c: [{ e: 2, d: 1 }] }, a: 1 } })),
    ));
  it('is the JSON of RFC 8785', () => {
    // The examples of sections 3.2.2 and 3.2.3.
    const numbers = [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001];
    const string = '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/';
    const keys = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
    expect(
      canonicalContent(play({ context: { numbers, string, literals: [null, true, false] }, device: keys })),
    ).to.equal(
      '{"campaignId":"C-100","context":{"literals":[null,true,false],' +
        '"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"},' +
        '"creativeId":"CR-1","device":{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3},' +
        '"durationMs":10000,"eventId":"play-1","playedAt":"2026-08-20T14:03:07.250Z","screenId":"screen-1"}',
    );
  });
  it('differs if any field differs', () => {
    const others: Partial<PopEvent>[] = [
      { playedAt: '2026-08-20T14:03:07.251Z' },
      { durationMs: 10_001 },
      { screenId: 'screen-2' },
      { startReason: 'scheduled' },
      { context: {} },
      { context: { a: null } },
      { context: { a: [1, 2] } },
      { context: { a: [2, 1] } },
      { impressions: { ageBuckets: { total: 1 } } },
    ];
    const contents = [{}, ...others].map((other) => canonicalContent(play(other)));
    expect(new Set(contents).size).to.equal(contents.length);
  });

  it('does not change in JSON, for any fields of the vendor', () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (context) => {
        const sent = { ...play(), context };
        expect(canonicalContent(JSON.parse(JSON.stringify(sent)) as PopEvent)).to.equal(canonicalContent(sent));
      }),
      runs(200),
    ));
});
