import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { type CommandApiProcess, startCommandApi } from '../command-api/command-api-process.fixture.ts';
import { commandApi, type TestCommandApi } from '../command-api/command-api.fixture.ts';
import { play, popPath, type Sender, sender } from '../command-api/sender.fixture.ts';
import { addressFor, ndjson, upload } from '../command-api/upload.fixture.ts';
import { maxRatio, measureFairness } from './fairness.fixture.ts';

const dripping = 64;

describe('fairness: uploads that drip a byte a second', function () {
  this.timeout(300_000);
  let api: TestCommandApi;
  let service: CommandApiProcess;
  let tenant: Sender;
  let attacker: Sender;
  before(async () => {
    api = await commandApi();
    service = await startCommandApi(api.node.url, api.databaseUrl);
    tenant = sender(service.baseUrl, (await api.newKey(2, 'other')).apiKey);
    attacker = sender(service.baseUrl, (await api.newKey()).apiKey);
  });
  after(async () => {
    await service.stop();
    await api.close();
  });

  /** Keeps 64 uploads of one key under way: begins a new one when the service ends one. */
  const drip = async () => {
    const { uploadUrl } = await addressFor(attacker);
    const { port, pathname, search } = new URL(uploadUrl);
    const sockets = new Set<Socket>();
    let isOver = false;
    const begin = () => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      sockets.add(socket.resume());
      socket.once('close', () => {
        sockets.delete(socket);
        if (!isOver) setTimeout(begin, 1_000).unref();
      });
      socket.write(
        `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: ${ndjson}\r\nContent-Length: 100000\r\n\r\n`,
      );
    };
    for (let index = 0; index < dripping; index++) begin();
    const timer = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('x');
    }, 1_000);
    return () => {
      isOver = true;
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      return Promise.resolve();
    };
  };

  it('hardly delay the requests of another tenant', async () => {
    const send = async () => expect((await tenant(popPath, { events: [play()] })).status).to.equal(202);
    expect((await measureFairness('requests during 64 dripping uploads', send, drip)).ratio).to.be.at.most(maxRatio);
  });

  it('hardly delay the uploads of another tenant', async () => {
    const send = async () => {
      const { uploadUrl } = await addressFor(tenant);
      expect((await upload(uploadUrl)).status).to.equal(200);
    };
    expect((await measureFairness('uploads during 64 dripping uploads', send, drip)).ratio).to.be.at.most(maxRatio);
  });
});
