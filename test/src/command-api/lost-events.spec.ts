import { cp, rm } from 'node:fs/promises';
import { intakeStream } from '@popsvc/contracts/events';
import { onlyShard } from '@popsvc/domain/partitioning';
import { repairLog } from '@popsvc/embedded/event-store';
import { recordLogChange, recordLogRepair } from '@popsvc/platform/postgres';
import { temporaryFolder, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { flipBit, segmentFile } from '../event-store/log.fixture.ts';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { registerPlaces } from './registry.fixture.ts';
import { expectApiError, play, popPath } from './sender.fixture.ts';

const receivedAtMs = Date.now();
const stream = intakeStream('pop', 1, 'acme', receivedAtMs);

describe('command-api: events that the log lost', () => {
  let api: TestCommandApi;
  beforeEach(async () => {
    api = await commandApi({ clock: { now: () => receivedAtMs } });
    await registerPlaces(api.store);
  });
  afterEach(() => api.close());

  const requests = ['kept', 'lost', 'last'].map((key) => ({ key, body: { events: [play({ eventId: key })] } }));
  type Request = (typeof requests)[number];
  const [kept, lost] = requests as [Request, Request];

  /** Until the client of the event store has connected again, requests that append get 503. */
  const send = async ({ key, body }: Request) => {
    const { status, headers } = await waitUntil(
      () => api.send(popPath, body, { headers: { 'Idempotency-Key': key } }),
      (reply) => reply.status !== 503,
    );
    return [status, headers.get('idempotency-replayed')];
  };
  const storedIds = async () => (await api.items(stream)).map(({ data }) => (data as { eventId: string }).eventId);
  const [accepted, replayed] = [
    [202, null],
    [202, 'true'],
  ];

  it('are stored when the same requests are sent again after a repair, and other events are not', async () => {
    for (const request of requests) expect(await send(request)).to.deep.equal(accepted);
    const [, event] = await api.events(stream);
    const { node } = api;
    await node.stop();
    flipBit(segmentFile(node.dir), Number(event!.position) + 100);
    expect((await repairLog(node.dir, Date.now())).places).to.have.lengthOf(1);
    await node.restart();
    await recordLogRepair(api.postgres, { repairedAt: new Date().toISOString(), shard: onlyShard }, []);
    const other = { headers: { 'Idempotency-Key': lost.key } };
    expectApiError(await api.send(popPath, kept.body, other), 409, 'CONFLICT');
    for (const request of requests)
      expect(await send(request), request.key).to.deep.equal(request === lost ? accepted : replayed);
    expect(await storedIds()).to.deep.equal(['kept', 'last', 'lost']);
    for (const request of requests) expect(await send(request)).to.deep.equal(replayed);
    expect(await storedIds()).to.have.lengthOf(3);
  });

  it('are stored when the same requests are sent again to an older copy of the log', async () => {
    await send(kept);
    const { node } = api;
    const copy = await temporaryFolder('log-copy');
    await node.stop();
    await cp(node.dir, copy, { recursive: true });
    await node.restart();
    expect(await send(lost)).to.deep.equal(accepted);
    await node.stop();
    await rm(node.dir, { recursive: true });
    await cp(copy, node.dir, { recursive: true });
    await node.restart();
    await recordLogChange(api.postgres, 'an older copy');
    expect(await send(lost)).to.deep.equal(accepted);
    expect(await send(kept)).to.deep.equal(replayed);
    await recordLogChange(api.postgres, 'an older copy');
    expect(await send(lost)).to.deep.equal(replayed);
    expect(await storedIds()).to.deep.equal(['kept', 'lost']);
  });
});
