import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stopInReverseOrder } from '@popsvc/embedded/supervisor';
import { isProcessAlive } from '@popsvc/platform/runtime';
import { expect } from 'chai';
import { temporaryFolder } from '@popsvc/tools/rig';
import {
  WELL_BEHAVED,
  superviseInTests,
  FAST_RESTART,
  IGNORES_SIGTERM,
  waitUntil,
} from './supervised-processes.fixture.ts';

describe('stopping a supervised process', () => {
  const { processes, lines, start } = superviseInTests();

  it('kills a process that ignores the stop signal', async () => {
    const child = await start(IGNORES_SIGTERM, { stopTimeoutMs: 200 });
    const pid = child.pid() ?? 0;
    const requestedAt = performance.now();
    await child.stop();
    expect(performance.now() - requestedAt).to.be.greaterThan(190);
    expect(isProcessAlive(pid)).to.equal(false);
  });

  it('works while the process waits for its restart', async () => {
    const child = await start(WELL_BEHAVED, {
      restart: { ...FAST_RESTART, initialDelayMs: 60_000, maxDelayMs: 60_000 },
    });
    process.kill(child.pid() ?? 0, 'SIGKILL');
    await waitUntil(() => lines.some(({ text }) => text.startsWith('exited')));
    await child.stop();
    expect(await child.ended).to.deep.equal({ requested: true });
  });

  it('stops processes in reverse order, one after another', async () => {
    const stopped: string[] = [];
    const slow = `process.on('SIGTERM', () => setTimeout(() => process.exit(0), 100)); process.stdin.resume();
      console.log('{"ready":true}')`;
    for (const name of ['engine', 'service', 'console']) {
      const child = await start(slow, { name });
      void child.ended.then(() => stopped.push(name));
    }
    await stopInReverseOrder(processes);
    expect(stopped).to.deep.equal(['console', 'service', 'engine']);
  });

  it('is not needed when the supervisor is killed: its processes end too', async () => {
    const fixture = fileURLToPath(new URL('./supervisor.fixture.js', import.meta.url));
    const supervisor = spawn(process.execPath, [fixture, await temporaryFolder('supervisor')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pids = await new Promise<readonly number[]>((resolve) => {
      createInterface(supervisor.stdout).once('line', (line) => resolve(JSON.parse(line) as number[]));
    });
    expect(pids).to.have.length(2);
    expect(pids.every((pid) => isProcessAlive(pid))).to.equal(true);
    supervisor.kill('SIGKILL');
    await waitUntil(() => !pids.some((pid) => isProcessAlive(pid)));
  });
});
