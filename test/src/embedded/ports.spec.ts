import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { choosePort, choosePorts } from '@popsvc/embedded/supervisor';
import { expect } from 'chai';

const chooser = fileURLToPath(new URL('./port-chooser.fixture.js', import.meta.url));

describe('a free port', () => {
  it('is chosen by only one process before it is used, and is free again after that process dies', async () => {
    // Their process ids are close to each other, so they try nearly the same ports.
    const choosers = Array.from({ length: 3 }, () => spawn(process.execPath, [chooser, '300']));
    const chosen = await Promise.all(
      choosers.map(async ({ stdout }) => {
        const [line] = (await once(createInterface(stdout), 'line')) as [string];
        return JSON.parse(line) as number[];
      }),
    );
    const all = chosen.flat();
    expect(all).to.have.length(900);
    expect(new Set(all).size).to.equal(900);
    for (const child of choosers) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    const claim = createSocket('udp4').bind({ port: all[0]!, address: '127.0.0.1', exclusive: true });
    await once(claim, 'listening');
    claim.close();
  });

  it('is outside the range that the system assigns, and chosen only once before it is used', async () => {
    const ports = await Promise.all(Array.from({ length: 40 }, () => choosePort(0, 'SOME_PORT')));
    expect(new Set(ports).size).to.equal(40);
    for (const port of ports) expect(port).to.be.within(20_000, 32_766);
  });

  it('is none that is in use', async () => {
    const last = await choosePort(0, 'SOME_PORT');
    // The next candidates, unless other processes have them.
    const holders = Array.from({ length: 20 }, (_, at) => createServer().listen(last + 1 + at, '127.0.0.1'));
    const settled = await Promise.allSettled(holders.map((holder) => once(holder, 'listening')));
    const taken = settled.flatMap(({ status }, at) => (status === 'fulfilled' ? [last + 1 + at] : []));
    expect(taken).to.not.be.empty;
    for (let more = 0; more < 20; more += 1) expect(taken).to.not.include(await choosePort(0, 'SOME_PORT'));
    for (const holder of holders) holder.close();
  });
});

describe('several ports', () => {
  it('that are chosen are none that another variable requests', async () => {
    const chooseWithNext = async () => {
      // Free ports are tried in order, so this one is the next.
      const next = (await choosePort(0, 'SOME_PORT')) + 1;
      return { next, ...(await choosePorts({ WORKER_PORT: 0, QUERY_API_PORT: next })) };
    };
    // Another process of this machine may use the next port.
    const { next, WORKER_PORT: free, QUERY_API_PORT: requested } = await chooseWithNext().catch(chooseWithNext);
    expect(requested).to.equal(next);
    expect(free).to.be.greaterThan(next);
  });

  it('that are in use are named at once, with their variables', async () => {
    const holders = await Promise.all(
      ['QUERY_API_PORT', 'OPS_PORT'].map(async (variable) => {
        const server = createServer().listen(0, '127.0.0.1');
        await once(server, 'listening');
        return { variable, server, port: (server.address() as AddressInfo).port };
      }),
    );
    const ports = Object.fromEntries(holders.map(({ variable, port }) => [variable, port]));
    const message = await choosePorts({ ...ports, WORKER_PORT: 0 }).then(() => '', String);
    for (const { variable, port } of holders) {
      expect(message).to.include(`port ${port} is already in use`);
      expect(message).to.include(`set ${variable} to another port`);
    }
    expect(message.split('\n')).to.have.lengthOf(2);
    for (const { server } of holders) server.close();
    const { WORKER_PORT: free } = await choosePorts({ WORKER_PORT: 0 });
    expect(free).to.be.greaterThan(0);
  });
});
