import { appendFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { startEventStoreNode } from '@popsvc/embedded/event-store';
import { temporaryFolder } from '@popsvc/tools/rig';
import { fillDisk, makeRoom } from './full-disk.fixture.ts';
import { appendTo, closedLog, numbersUpTo, openLog, revisionsIn, segmentFile } from './log.fixture.ts';
import { connectTo, itsOwnNode, readAllOf, refusal, someEvents } from './store.fixture.ts';

describe('event store: a full disk', function () {
  this.timeout(60_000);
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
