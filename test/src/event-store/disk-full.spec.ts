import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { appendFileSync, readdirSync } from 'node:fs';
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import { type ServiceError, status } from '@grpc/grpc-js';
import { expect } from 'chai';
import sinon from 'sinon';
import { startEventStoreNode } from '@popsvc/embedded/event-store';
import { StreamStore } from '@popsvc/embedded/event-store/streams';
import { temporaryFolder } from '@popsvc/tools/rig';
import { batch, proposed, sendBatches } from './batch-append.fixture.ts';
import { fillDisk, makeRoom } from './full-disk.fixture.ts';
import { appendTo, closedLog, numbersUpTo, openLog, revisionsIn, segmentFile } from './log.fixture.ts';
import { connectTo, itsOwnNode, newStream, rawClient, readAllOf, refusal, someEvents } from './store.fixture.ts';

describe('event store: a full disk', function () {
  afterEach(makeRoom);

  itsOwnNode('refuses appends as unavailable with the reason, serves reads, and recovers by itself', async () => {
    const notes: string[] = [];
    const node = await startEventStoreNode({
      dataDir: await temporaryFolder('full'),
      port: 0,
      note: (message) => notes.push(message),
    });
    const client = connectTo(`esdb://127.0.0.1:${node.port}?tls=false`);
    await client.appendToStream('s', someEvents(3));
    fillDisk(100);
    const lost = someEvents(2);
    const errors = await Promise.all(
      [lost, someEvents(1), someEvents(1)].map((events) => refusal(client.appendToStream('s', events))),
    );
    for (const error of errors) {
      expect(error).to.include({ type: 'unavailable' });
      expect(error['message']).to.contain('the disk of the event store is full').and.to.contain('nothing was stored');
    }
    const unary = client.appendToStream('s', someEvents(1), { credentials: { username: 'u', password: 'p' } });
    expect(await refusal(unary)).to.include({ type: 'unavailable' });
    expect(await readAllOf(client, 's'), 'reads go on').to.have.length(3);
    makeRoom();
    const { nextExpectedRevision } = await client.appendToStream('s', lost);
    expect(nextExpectedRevision, 'no revision is skipped, and the retry is not taken for stored').to.equal(4n);
    expect((await readAllOf(client, 's')).map(({ event }) => event!.id).slice(3)).to.deep.equal(
      lost.map(({ id }) => id),
    );
    expect(notes).to.deep.equal(['disk full: appends are refused', 'there is room again: appends are stored']);
    await client.dispose();
    await node.close();
  });

  itsOwnNode('ends a batch append call after the responses of stored appends, and stores no later append', async () => {
    const open = StreamStore.open.bind(StreamStore);
    let appender!: StreamStore['appender'];
    sinon.stub(StreamStore, 'open').callsFake(async (options) => {
      const store = await open(options);
      ({ appender } = store);
      return store;
    });
    const node = await startEventStoreNode({ dataDir: await temporaryFolder('full'), port: 0 });
    const url = `esdb://127.0.0.1:${node.port}?tls=false`;
    const [client, raw] = [connectTo(url), await rawClient(url)];
    const [stream, stored, refused, late] = [newStream(), randomUUID(), randomUUID(), randomUUID()];
    const send = (id: string) => batch({ id, stream, isFinal: true, events: [proposed(Buffer.from('x'))] });

    const steps = new EventEmitter();
    const append = appender.append.bind(appender);
    const appends = sinon.stub(appender, 'append').callsFake(append);
    // The outcome of the first append, which is stored, is held back until the step `respond`.
    appends.onFirstCall().callsFake(async (...appended) => {
      const outcome = await append(...appended);
      const respond = once(steps, 'respond');
      steps.emit('stored');
      await respond;
      return outcome;
    });
    appends.onSecondCall().callsFake((...appended) => append(...appended).finally(() => steps.emit('refused')));

    const call = raw.batchAppend();
    const responses: (string | undefined)[] = [];
    call.on('data', (response: streams.BatchAppendResp) => responses.push(response.getCorrelationId()?.getString()));
    const ended = once(call, 'end').catch((error: unknown) => error as ServiceError);
    const isStored = once(steps, 'stored');
    call.write(send(stored));
    await isStored;
    fillDisk(0);
    const isRefused = once(steps, 'refused');
    call.write(send(refused));
    await isRefused;
    makeRoom();
    call.write(send(late));
    // The node has received the late append when it has stored this one, which follows it on the same connection.
    const later = batch({ id: randomUUID(), stream: newStream(), isFinal: true, events: [proposed(Buffer.from('x'))] });
    expect(await sendBatches(raw, [later])).to.have.length(1);
    steps.emit('respond');
    expect(await ended).to.include({ code: status.UNAVAILABLE });
    expect(responses).to.deep.equal([stored]);
    expect(await readAllOf(client, stream), 'only the append with a response is stored').to.have.length(1);
    await client.dispose();
    await node.close();
  });

  it('keeps what is appended after a segment file could not be created', async () => {
    const { dir } = await closedLog({ segmentBytes: 4096 });
    const log = await openLog(dir, { segmentBytes: 4096 });
    await appendTo(log, 's', 20);
    fillDisk(0);
    expect(await refusal(appendTo(log, 's', 5))).to.include({ name: 'LogNotWritableError' });
    makeRoom();
    expect(await appendTo(log, 's', 5)).to.include({ revision: 124 });
    await log.store.close();
    const again = await openLog(dir);
    expect(await revisionsIn(again, 's')).to.deep.equal(numbersUpTo(125));
    await again.store.close();
  });

  it('stores nothing of an append that the full disk cut off, also after the log is opened again', async () => {
    const { dir } = await closedLog();
    const log = await openLog(dir, { segmentBytes: 4096 });
    fillDisk(300);
    expect(await refusal(appendTo(log, 's', 5))).to.include({ name: 'LogNotWritableError' });
    makeRoom();
    await log.store.close();
    const again = await openLog(dir);
    expect(await revisionsIn(again, 's')).to.deep.equal(numbersUpTo(100));
    expect(await appendTo(again, 's', 5)).to.include({ revision: 104 });
    await again.store.close();
  });

  it('opens a log with a torn tail to read, and cuts the tail when there is room', async () => {
    const { dir } = await closedLog();
    appendFileSync(segmentFile(dir), Buffer.alloc(5000, 7));
    fillDisk(0);
    const log = await openLog(dir);
    expect(await revisionsIn(log, 's')).to.deep.equal(numbersUpTo(100));
    expect(await refusal(appendTo(log, 's', 1))).to.include({ name: 'LogNotWritableError' });
    makeRoom();
    expect(await appendTo(log, 's', 1)).to.include({ revision: 100 });
    expect(log.notes).to.deep.equal([
      'disk full: appends are refused',
      'torn tail cut',
      'there is room again: appends are stored',
    ]);
    await log.store.close();
    expect(readdirSync(dir).some((name) => name.includes('.cut-'))).to.equal(true);
  });
});
