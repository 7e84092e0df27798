import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type FaultProxy, startFaultProxy } from './fault-proxy.fixture.ts';

/** The other specs of this folder depend on it. */
describe('the fault proxy', () => {
  const echo = createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
  let proxy: FaultProxy;
  before(async () => {
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
  });
  beforeEach(async () => {
    proxy = await startFaultProxy(`http://127.0.0.1:${(echo.address() as AddressInfo).port}/folder`);
  });
  afterEach(() => proxy.close());
  after(() => echo.close());

  const dial = async () => {
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    return { socket, received: () => Buffer.concat(received).toString() };
  };
  const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
  const answered = async (socket: Socket, text: string): Promise<number> => {
    const began = performance.now();
    const answer = once(socket, 'data');
    socket.write(text);
    await answer;
    return performance.now() - began;
  };

  it('passes bytes on, with a delay when one is set, and keeps the path of the URL', async () => {
    expect(new URL(proxy.url).pathname).to.equal('/folder');
    const { socket } = await dial();
    proxy.disturb({ there: { delayMs: 60 }, back: { delayMs: 60 } });
    expect(await answered(socket, 'a')).to.be.greaterThan(110);
    proxy.disturb({ back: { bytesPerSecond: 1_000_000 } });
    await answered(socket, 'b');
    expect(proxy.opened()).to.equal(1);
  });

  it('moves new connections to another server, and leaves open ones', async () => {
    const other = createServer((socket) => void socket.on('error', () => undefined).end('other'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const before = await dial();
    await answered(before.socket, '1');
    proxy.moveTo(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
    const after = await dial();
    await once(after.socket, 'end');
    expect(after.received()).to.equal('other');
    await answered(before.socket, '2');
    expect(before.received()).to.equal('12');
    other.close();
  });

  it('holds back one direction until it is healed', async () => {
    const { socket, received } = await dial();
    await answered(socket, '1');
    proxy.disturb({ back: { isBlackHole: true } });
    socket.write('2');
    await sleep(80);
    expect(received()).to.equal('1');
    const answer = once(socket, 'data');
    proxy.heal();
    await answer;
    expect(received()).to.equal('12');
  });

  it('cuts connections at once, after a number of bytes, and while the store is down', async () => {
    const { socket } = await dial();
    await answered(socket, '1');
    const gone = closed(socket);
    proxy.cut();
    await gone;
    const second = (await dial()).socket;
    proxy.disturb({ there: { cutAfterBytes: 5 } });
    await answered(second, '12345');
    const over = closed(second);
    second.write('6');
    await over;
    proxy.away();
    await dial().then(
      ({ socket: refused }) => closed(refused),
      () => undefined,
    );
    proxy.heal();
    await answered((await dial()).socket, '7');
  });

  it('cuts the response to one request and holds another back', async () => {
    const { socket, received } = await dial();
    const kept = proxy.hold(/two words/);
    socket.write('GET /?query=two%20words HTTP/1.1\r\n\r\n');
    await kept;
    expect(received()).to.equal('');
    const answer = once(socket, 'data');
    proxy.release();
    await answer;
    const over = closed(socket);
    const cut = proxy.cutAnswer(/three/);
    socket.write('POST /three HTTP/1.1\r\n\r\n');
    await Promise.all([cut, over]);
    expect(received()).to.not.include('three');
  });
});
