import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isAlive, stopInReverseOrder } from '@popsvc/embedded/supervisor';
import { expect } from 'chai';
import { temporaryFolder } from '../support/engines.ts';
import { GOOD, partsOfTests, QUICK, STUBBORN, until } from './parts.fixture.ts';

describe('the supervisor ends its parts: it', () => {
  const { parts, lines, start } = partsOfTests();

  it('kills what does not stop when asked', async () => {
    const part = await start(STUBBORN, { stopTimeoutMs: 200 });
    const pid = part.pid() ?? 0;
    const askedAt = Date.now();
    await part.stop();
    expect(Date.now() - askedAt).to.be.within(190, 3_000);
    expect(isAlive(pid)).to.equal(false);
  });

  it('can be stopped while a part is down', async () => {
    const part = await start(GOOD, { restart: { ...QUICK, initialDelayMs: 60_000, maxDelayMs: 60_000 } });
    process.kill(part.pid() ?? 0, 'SIGKILL');
    await until(() => lines.some(({ text }) => text.startsWith('exited')));
    await part.stop();
    expect(await part.ended).to.deep.equal({ requested: true });
  });

  it('stops parts in reverse order, each only when the one before is gone', async () => {
    const stopped: string[] = [];
    const slow = `process.on('SIGTERM', () => setTimeout(() => process.exit(0), 100)); process.stdin.resume();
      console.log('{"ready":true}')`;
    for (const name of ['engine', 'service', 'console']) {
      const part = await start(slow, { name });
      void part.ended.then(() => stopped.push(name));
    }
    await stopInReverseOrder(parts);
    expect(stopped).to.deep.equal(['console', 'service', 'engine']);
  });

  it('leaves no child behind when it is killed itself', async () => {
    const fixture = fileURLToPath(new URL('./supervisor.fixture.js', import.meta.url));
    const supervisor = spawn(process.execPath, [fixture, await temporaryFolder('supervisor')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pids = await new Promise<readonly number[]>((resolve) => {
      createInterface(supervisor.stdout).once('line', (line) => resolve(JSON.parse(line) as number[]));
    });
    expect(pids).to.have.length(2);
    expect(pids.every(isAlive)).to.equal(true);
    supervisor.kill('SIGKILL');
    await until(() => !pids.some(isAlive), 10_000);
  });
});
