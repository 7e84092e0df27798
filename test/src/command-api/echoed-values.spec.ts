import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { detectionPath, play, popPath } from './sender.fixture.ts';

describe('command-api: errors about events', function () {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi();
  });
  after(() => api.close());

  const valuesOf = async (events: readonly unknown[], path = popPath, list = 'events') => {
    const { status, body } = await api.send(path, { [list]: events });
    expect(status, JSON.stringify(body)).to.equal(400);
    const details = (body.error?.details ?? []) as readonly { readonly path: string; readonly value?: string }[];
    return Object.fromEntries(details.map(({ path: field, value }) => [field, value]));
  };

  it('contain the invalid values', async () => {
    const invalid = { playedAt: '2026-08-21T14:03:07', durationMs: 0, screenId: 7, siteId: false, speed: null };
    expect(await valuesOf([play(), play(invalid)])).to.deep.equal({
      'events[1].playedAt': '"2026-08-21T14:03:07"',
      'events[1].durationMs': '0',
      'events[1].screenId': '7',
      'events[1].siteId': 'false',
      'events[1].speed': 'null',
    });
    expect(await valuesOf([play({ playedAt: '1999-12-31T00:00:00Z' })])).to.deep.equal({
      'events[0].playedAt': '"1999-12-31T00:00:00Z"',
    });
  });

  it('have no value for absent fields, and name lists and objects', async () => {
    expect(await valuesOf([play({ screenId: undefined }), [], play({ campaignId: {} })])).to.deep.equal({
      'events[0].screenId': undefined,
      'events[1]': 'a list',
      'events[2].campaignId': 'an object',
    });
  });

  it('shorten long values', async () => {
    const found = await valuesOf([play({ eventId: 'e'.repeat(1_001) })]);
    expect(found['events[0].eventId']).to.equal(`"${'e'.repeat(59)}…"`);
  });

  it('contain the value of the named field, if fields contradict each other', async () => {
    const [startedAt, endedAt] = ['2026-08-14T11:00:00Z', '2026-08-14T10:00:00Z'];
    const detection = { detectionId: 'd', deviceId: 1, watcherId: 1, startedAt, endedAt, watches: [] };
    expect(await valuesOf([detection], detectionPath, 'detections')).to.deep.equal({
      'detections[0].endedAt': `"${endedAt}"`,
    });
  });
});
