// cspell:ignore scren
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import type { EventWarnings } from '@popsvc/contracts/responses';
import type { EventStore } from '@popsvc/platform/event-store';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { register, registerAdvertised } from './registry.fixture.ts';
import { dynamicPath, expectApiError, play, popPath, type Reply } from './sender.fixture.ts';

const body = ({ body }: Reply) => body as Reply['body'] & EventWarnings;
const paths = (reply: Reply) => body(reply).warnings?.map(({ path, code, nearest }) => [path, code, nearest]);

describe('command-api: warnings for plays', () => {
  let api: TestCommandApi;
  const post = (...events: readonly unknown[]) => api.send(popPath, { events });
  /** Waits until the registry cache has applied the registry. */
  const waitForRegistry = async () => {
    await api.untilReady();
    await waitUntil(
      () => post(play({ eventId: 'wait' })),
      (reply) => body(reply).warnings === undefined,
    );
  };
  before(async () => {
    api = await commandApi();
    await registerAdvertised(api.store);
    await waitForRegistry();
  });
  after(() => api.close());

  it('are absent if the registry contains all ids', async () => {
    const reply = await post(play(), play());
    expect(reply.status).to.equal(202);
    expect(reply.body).to.have.all.keys('message', 'acceptedAt', 'eventCount');
  });

  it('name ids that the network does not have, with the nearest that it has', async () => {
    const reply = await post(
      play({ screenId: 'scren-1' }),
      play({ campaignId: 'C-200' }),
      play({ creativeId: 'CR-9' }),
      play({ creativeId: 'something else' }),
    );
    expect(reply.status).to.equal(202);
    expect(body(reply).eventCount).to.equal(4);
    expect(body(reply).warningCount).to.equal(4);
    expect(paths(reply)).to.deep.equal([
      ['events[0].screenId', 'UNKNOWN_SCREEN', 'screen-1'],
      ['events[1].campaignId', 'UNKNOWN_CAMPAIGN', 'C-100'],
      ['events[2].creativeId', 'UNKNOWN_CREATIVE', 'CR-1'],
      ['events[3].creativeId', 'UNKNOWN_CREATIVE', undefined],
    ]);
  });

  it('name several contents under one event id, of which all are stored', async () => {
    const reply = await post(play({ eventId: 'twice' }), play({ eventId: 'twice', durationMs: 5 }));
    expect(reply.body.eventCount).to.equal(2);
    expect(body(reply)).to.have.property('warningCount', 1);
    expect(paths(reply)).to.deep.equal([['events[1].eventId', 'CONFLICTING_EVENT_ID', undefined]]);
  });

  it('are repeated with the stored response', async () => {
    const sent = { events: [play({ screenId: 'unknown' })] };
    const [first, second] = [
      await api.send(popPath, sent, { headers: { 'Idempotency-Key': 'warned' } }),
      await api.send(popPath, sent, { headers: { 'Idempotency-Key': 'warned' } }),
    ];
    expect(second.headers.get('idempotency-replayed')).to.equal('true');
    expect(paths(first)).to.deep.equal([['events[0].screenId', 'UNKNOWN_SCREEN', undefined]]);
    expect(second.body).to.deep.equal(first.body);
  });

  it('do not name ids that are retired or that a device has no longer', async () => {
    const device = { id: 12, name: 'Lift', location: 5 };
    await register(api.store, 'devices', { ...device, screen_ids: ['lift-old'] }, 'Changed');
    await register(api.store, 'devices', { ...device, screen_ids: ['lift-new'] }, 'Changed');
    await register(api.store, 'devices', { ...device, screen_ids: ['lift-new'], retired: true }, 'Retired');
    await register(api.store, 'devices', { id: 13, name: 'Last', location: 5, screen_ids: ['last'] });
    await waitUntil(
      () => post(play({ screenId: 'last' })),
      (reply) => body(reply).warnings === undefined,
    );
    expect(body(await post(play({ screenId: 'lift-old' }), play({ screenId: 'lift-new' }))).warnings).to.equal(
      undefined,
    );
  });

  it('are the same with validate_only, which counts nothing', async () => {
    const { send } = await api.newKey(1, 'careful');
    const sent = {
      events: [play({ screenId: 'scren-1' }), play({ eventId: 'same' }), play({ eventId: 'same', durationMs: 5 })],
    };
    const valid = await send(popPath, sent, { query: '?validate_only=true' });
    expect(valid.status).to.equal(200);
    expect(paths(valid)).to.deep.equal([
      ['events[0].screenId', 'UNKNOWN_SCREEN', 'screen-1'],
      ['events[2].eventId', 'CONFLICTING_EVENT_ID', undefined],
    ]);
    expect(await api.metrics.metrics()).to.not.match(/unknown_references_total\{[^}]*careful/);
    const { warnings, warningCount } = body(await send(popPath, sent));
    expect(body(valid)).to.deep.include({ warnings, warningCount });
    expect(await api.metrics.metrics()).to.match(/unknown_references_total\{[^}]*careful/);
    const known = await send(popPath, { events: [play()] }, { query: '?validate_only=true' });
    expect(known.body).to.have.all.keys('message', 'eventCount');
  });

  it('are not part of other responses', async () => {
    const dynamic = await api.send(dynamicPath, { schemaVersion: 'v1', events: [play({ screenId: 'unknown' })] });
    expect(dynamic.status).to.equal(202);
    expect(dynamic.body).to.not.have.any.keys('warnings', 'warningCount');
    const invalid = await post(play({ screenId: 'unknown' }), play({ durationMs: 0 }));
    expectApiError(invalid, 400, 'INVALID_EVENT', ['events[1].durationMs']);
  });

  it('are counted by network, vendor and field', async () => {
    const { send } = await api.newKey(2, 'hasty');
    await send(popPath, { events: [play({ campaignId: 'C-200' }), play({ campaignId: 'C-200' })] });
    const text = await api.metrics.metrics();
    const counts = [...text.matchAll(/unknown_references_total\{network="2",vendor="hasty",field="(\w+)".*\} (\d+)/g)];
    expect(counts.map(([, field, count]) => [field, Number(count)])).to.deep.equal([
      ['screenId', 2],
      ['creativeId', 2],
    ]);
  });
});

describe('command-api: warnings for plays while the registry is being read', () => {
  let api: TestCommandApi;
  before(async () => {
    // A subscription that delivers nothing.
    const between = (real: EventStore): EventStore => ({
      ...real,
      async *subscribe({ signal }) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
    api = await commandApi({ between });
  });
  after(() => api.close());

  it('are absent', async () => {
    const reply = await api.send(popPath, { events: [play(), play({ eventId: 'a' }), play({ eventId: 'a' })] });
    expect(reply.status).to.equal(202);
    expect(reply.body).to.not.have.any.keys('warnings', 'warningCount');
    expect(await api.metrics.metrics()).to.not.include('unknown_references_total{');
  });
});
