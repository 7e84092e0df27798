import fs from 'node:fs';
import { expect } from 'chai';
import sinon from 'sinon';
import { startEventStoreNode } from '@popsvc/embedded/event-store';
import { temporaryFolder } from '@popsvc/tools/rig';
import { callCredentials, connectTo, itsOwnNode, newStream, readAllOf, refusal, someEvents } from './store.fixture.ts';

describe('event store: a disk that stalls or fails', function () {
  afterEach(() => sinon.restore());

  itsOwnNode(
    '15. a stalled store still answers every append once and in time, and a retry finds the written events',
    async () => {
      const node = await startEventStoreNode({
        dataDir: await temporaryFolder('stall'),
        port: 0,
        limits: { timeoutMs: 500 },
      });
      const client = connectTo(`esdb://127.0.0.1:${node.port}?tls=false`);
      const stream = newStream();
      await client.appendToStream(stream, someEvents(1));
      const held: (() => void)[] = [];
      const sync = fs.fdatasync.bind(fs);
      sinon.stub(fs, 'fdatasync').callsFake((fd, callback) => void held.push(() => sync(fd, callback)));
      const appends = Array.from({ length: 20 }, () => someEvents(1));
      const began = Date.now();
      const errors = await Promise.all(appends.map((events) => refusal(client.appendToStream(stream, events))));
      for (const error of errors) expect(error).to.include({ type: 'deadline-exceeded' });
      expect(Date.now() - began).to.be.within(400, 20_000);
      expect(await refusal(client.appendToStream(stream, someEvents(1), { credentials: callCredentials }))).to.include({
        type: 'timeout',
      });
      expect(await readAllOf(client, stream), 'nothing is shown that is not durable').to.have.length(1);
      sinon.restore();
      for (const release of held) release();
      for (const events of appends) await client.appendToStream(stream, events);
      expect(await readAllOf(client, stream)).to.have.length(22);
      await client.dispose();
      await node.close();
    },
  );

  itsOwnNode(
    'requests the exit of the process when a write or sync fails, and acknowledges no further append',
    async () => {
      const failures: unknown[] = [];
      const node = await startEventStoreNode({
        dataDir: await temporaryFolder('failing'),
        port: 0,
        limits: { timeoutMs: 500 },
        fail: (error) => failures.push(error),
      });
      const client = connectTo(`esdb://127.0.0.1:${node.port}?tls=false`);
      const stream = newStream();
      await client.appendToStream(stream, someEvents(1));
      const broken = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      sinon.stub(fs, 'fdatasync').callsFake((_fd, callback) => callback(broken));
      expect(await refusal(client.appendToStream(stream, someEvents(1)))).to.include({ type: 'deadline-exceeded' });
      sinon.restore();
      expect(await refusal(client.appendToStream(stream, someEvents(1)))).to.include({ type: 'deadline-exceeded' });
      expect(failures).to.have.length(1);
      expect((failures[0] as Error).cause).to.equal(broken);
      await client.dispose();
      await node.close();
    },
  );
});
