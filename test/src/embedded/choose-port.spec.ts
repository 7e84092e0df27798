import { once } from 'node:events';
import { createServer } from 'node:net';
import { choosePort } from '@popsvc/embedded/supervise';
import { expect } from 'chai';

describe('a port that may be any', () => {
  it('is none that the system gives out, and not the same twice before it is used', async () => {
    const ports = await Promise.all(Array.from({ length: 40 }, () => choosePort(0, 'SOME_PORT')));
    expect(new Set(ports).size).to.equal(40);
    for (const port of ports) expect(port).to.be.within(20_000, 32_766);
  });

  it('is none that is taken', async () => {
    const last = await choosePort(0, 'SOME_PORT');
    const [next, after] = [last + 1, last + 2];
    const holder = createServer().listen(next, '127.0.0.1');
    await once(holder, 'listening');
    expect(await choosePort(0, 'SOME_PORT')).to.be.within(after, after + 10);
    holder.close();
  });
});
