import { type PopEvent } from '@popsvc/contracts/commands';
import { findPlayWarnings } from '@popsvc/domain/intake';
import { expect } from 'chai';

const play = (over: Partial<PopEvent> = {}): PopEvent => ({
  eventId: 'play-1',
  screenId: 'screen-1',
  campaignId: 'C-100',
  creativeId: 'CR-1',
  playedAt: '2026-08-20T14:03:07.250Z',
  durationMs: 10_000,
  ...over,
});
const plays = (count: number, over: (index: number) => Partial<PopEvent>) =>
  Array.from({ length: count }, (_, index) => play({ eventId: `play-${index}`, ...over(index) }));
const known = {
  screenId: new Set(['screen-1']),
  campaignId: new Set(['C-100']),
  creativeId: new Set(['CR-1']),
};
const find = (
  list: readonly PopEvent[],
  findNearest: (field: string, id: string) => string | undefined = () => undefined,
) => findPlayWarnings(list, { known, findNearest }, 'events');
const summary = (list: readonly PopEvent[]) =>
  (find(list).response.warnings ?? []).map(({ path, code, value }) => [path, code, value]);

describe('warnings for plays', () => {
  it('are absent if all ids are registered', () => {
    const { response, unknownPlays } = find(plays(3, () => ({})));
    expect(response).to.deep.equal({});
    expect(unknownPlays).to.deep.equal({ screenId: 0, campaignId: 0, creativeId: 0 });
  });

  it('name unknown screens, campaigns and creatives, each value once, in the order of the events', () => {
    const list = plays(4, (index) =>
      index === 0 ? {} : { campaignId: 'C-9', ...(index === 2 && { screenId: 's-9' }) },
    );
    expect(summary([...list, play({ eventId: 'last', creativeId: 'CR-9' })])).to.deep.equal([
      ['events[1].campaignId', 'UNKNOWN_CAMPAIGN', 'C-9'],
      ['events[2].screenId', 'UNKNOWN_SCREEN', 's-9'],
      ['events[4].creativeId', 'UNKNOWN_CREATIVE', 'CR-9'],
    ]);
    const { response, unknownPlays } = find(list);
    expect(response.warningCount).to.equal(2);
    expect(unknownPlays).to.deep.equal({ screenId: 1, campaignId: 3, creativeId: 0 });
    expect(response.warnings?.[1]).to.deep.equal({
      path: 'events[2].screenId',
      code: 'UNKNOWN_SCREEN',
      value: 's-9',
      message: 'There is no screen with this id in your network. Reports show its place once the screen is registered.',
    });
  });

  it('name the same value once for each field', () =>
    expect(summary([play({ screenId: 'x', campaignId: 'x', creativeId: 'x' })])).to.deep.equal([
      ['events[0].screenId', 'UNKNOWN_SCREEN', 'x'],
      ['events[0].campaignId', 'UNKNOWN_CAMPAIGN', 'x'],
      ['events[0].creativeId', 'UNKNOWN_CREATIVE', 'x'],
    ]));

  it('do not name an empty id', () =>
    expect(find([play({ campaignId: '', creativeId: '' })])).to.deep.equal({
      response: {},
      unknownPlays: { screenId: 0, campaignId: 0, creativeId: 0 },
    }));

  it('list 100 and count all', () => {
    const { response, unknownPlays } = find(plays(150, (index) => ({ screenId: `s-${index}` })));
    expect(response.warnings).to.have.length(100);
    expect(response.warnings?.at(-1)?.path).to.equal('events[99].screenId');
    expect(response.warningCount).to.equal(150);
    expect(unknownPlays.screenId).to.equal(150);
  });

  it('have the nearest id, which is looked up for 10 values', () => {
    const lookups: string[] = [];
    const list = plays(12, (index) => ({ screenId: `s-${index}` }));
    const { response } = find(
      [...list, ...list.map((one) => ({ ...one, eventId: `${one.eventId}b` }))],
      (field, id) => {
        lookups.push(`${field} ${id}`);
        return id === 's-3' ? undefined : 'screen-1';
      },
    );
    expect(lookups).to.deep.equal(list.slice(0, 10).map(({ screenId }) => `screenId ${screenId}`));
    const due = list.map((_, index) => (index < 10 && index !== 3 ? 'screen-1' : undefined));
    expect(response.warnings?.map(({ nearest }) => nearest)).to.deep.equal(due);
    expect(response.warnings?.[3]).to.not.have.property('nearest');
  });

  it('name the first event that has another content than an earlier one with the same id', () => {
    const list = [play(), play(), play({ durationMs: 1 }), play({ durationMs: 2 }), play({ eventId: 'other' })];
    expect(find(list).response).to.deep.equal({
      warnings: [
        {
          path: 'events[2].eventId',
          code: 'CONFLICTING_EVENT_ID',
          value: 'play-1',
          message: 'events[0] has the same id and other content; the first one counts.',
        },
      ],
      warningCount: 1,
    });
  });

  it('do not name an event that repeats another one, in any notation', () =>
    expect(
      find([
        play({ context: { a: 1, b: 2 } }),
        play({ playedAt: '2026-08-20T16:03:07.25+02:00', context: { b: 2, a: 1 } }),
      ]).response,
    ).to.deep.equal({}));
});
