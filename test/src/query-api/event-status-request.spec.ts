import { EventStatusReport } from '@popsvc/contracts/responses';
import { expect } from 'chai';
import { startTestServices, type TestServices } from '../support/test-services.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { requestEventStatus, type EventStatusReply, playOf, createPush } from './event-status.fixture.ts';

describe('requests for the status of an event', function () {
  let system: TestServices;
  let key: string;
  let push: ReturnType<typeof createPush>;
  before(async () => {
    system = await startTestServices();
    await system.register(smallRegistry);
    key = await system.apiKey();
    push = createPush(system, key);
  });
  after(() => system.close());

  /** Vendors send the request to command-api, which forwards it. */
  const request = (eventId: string, apiKey = key): Promise<EventStatusReply> =>
    requestEventStatus(system.ingestUrl, eventId, { 'x-api-key': apiKey });
  const readReport = async (eventId: string): Promise<EventStatusReport> => {
    const { status, body } = await request(eventId);
    expect(status, JSON.stringify(body)).to.equal(200);
    return EventStatusReport.strict().parse(body);
  };

  it('accept ids with any characters', async () => {
    const ids = [
      ...[
        'a/b',
        '/',
        '..',
        '.',
        '../events',
        '%2F',
        '%',
        'ä ø',
        '?x=1',
        '#',
        '&',
        '+',
        ' ',
        "' OR 1=1 --",
        '\\',
        '\\N',
        '"',
      ],
      ...[
        '{p0:String}',
        'tab\there',
        'line\nbreak\r\n',
        '\u0000nul',
        '日本語',
        '🙂',
        'e\u0301',
        '__proto__',
        'conflicts',
      ],
      ...['x'.repeat(1_000), '語'.repeat(1_000)],
    ];
    await push('/pop/events', { events: ids.map((id) => playOf(id)) });
    await system.project();
    for (const id of ids)
      expect(await readReport(id), JSON.stringify(id)).to.include({ eventId: id, status: 'projected' });
    for (const near of ['A/B', 'a', 'ä ø ', 'é']) expect((await request(near)).status, near).to.equal(404);
  });

  it('return only events of the vendor of the API key', async () => {
    const [beta, gamma] = [await system.apiKey(1, 'beta'), await system.apiKey(2, 'gamma')];
    await push('/pop/events', { events: [playOf('whose')] });
    await createPush(system, gamma)('/pop/events', { events: [playOf('whose', { durationMs: 77 })] });
    await system.project();
    expect((await readReport('whose')).counts.received).to.equal(1);
    expect((await request('whose', beta)).status).to.equal(404);
    expect((await request('a/b', gamma)).status).to.equal(404);
    const theirs = await request('whose', gamma);
    expect(theirs.body.play).to.include({ durationMs: 77, deviceId: null, siteId: null });
    expect(theirs.body.counts).to.include({ received: 1, conflict: 0 });
  });

  it('explain in a 404 what to do about an unknown id', async () => {
    await push('/pop/events', { events: [playOf('just-sent')] });
    const { status, headers, body } = await request('just-sent');
    expect(status).to.equal(404);
    expect(body.error?.code).to.equal('NOT_FOUND');
    expect(body.message).to.include('not be projected yet');
    expect(headers['x-data-as-of']).to.be.a('string');
    await system.project();
    expect((await readReport('just-sent')).status).to.equal('projected');
  });

  it('require an API key and refuse parameters', async () => {
    for (const url of [system.ingestUrl, system.queryUrl]) {
      expect((await requestEventStatus(url, 'whose', {})).status).to.equal(401);
      expect((await requestEventStatus(url, 'whose', { authorization: 'Bearer nonsense' })).status).to.equal(401);
      expect((await requestEventStatus(url, 'whose', { authorization: `Bearer ${key}` })).status).to.equal(200);
      const refused = await requestEventStatus(url, 'whose', { 'x-api-key': key }, '?vendor=beta&vendor=x%26y');
      expect([refused.status, refused.body.error?.code]).to.deep.equal([400, 'INVALID_PARAM']);
    }
    const answer = await fetch(`${system.ingestUrl}/popsvc/v1/pop/events/whose`, { method: 'DELETE' });
    expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
  });
});
