import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type ProcessOptions } from '@popsvc/embedded/supervisor';
import {
  WELL_BEHAVED,
  superviseInTests,
  FAST_RESTART,
  IGNORES_SIGTERM,
  waitUntil,
} from './supervised-processes.fixture.ts';

describe('a supervised process', () => {
  const { lines, start } = superviseInTests();
  const refusal = async (code: string, options: Partial<ProcessOptions> = {}): Promise<string> =>
    start(code, options).then(
      () => 'it started',
      (error: unknown) => String(error),
    );

  it('is ready when it prints the ready line, and its other lines are passed on', async () => {
    const child = await start(WELL_BEHAVED);
    expect(child.readyLine()).to.deep.equal({ ready: true, pid: child.pid() });
    await waitUntil(() => lines.length >= 2);
    expect(lines).to.have.deep.members([
      { name: 'child', from: 'stdout', text: 'starting' },
      { name: 'child', from: 'stderr', text: 'a warning' },
    ]);
  });

  it('is ready when its readiness check succeeds', async () => {
    let checks = 0;
    const ready = (): Promise<boolean> => {
      checks += 1;
      return checks < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve(checks > 4);
    };
    await start(WELL_BEHAVED, { ready });
    expect(checks).to.equal(5);
  });

  it('is started again after a kill', async () => {
    const child = await start(WELL_BEHAVED);
    const first = child.pid();
    process.kill(first ?? 0, 'SIGKILL');
    await waitUntil(
      () => child.pid() !== undefined && child.pid() !== first && child.readyLine()?.['pid'] === child.pid(),
    );
    expect(lines.map(({ text }) => text).join('\n')).to.contain('ended by SIGKILL');
  });

  it('is not started again if it exits at its first start; the error names the reason', async () => {
    expect(await refusal(`console.error('port 8123 is already in use'); process.exit(1)`)).to.equal(
      'ProcessStartError: child could not start: port 8123 is already in use',
    );
    expect(lines.filter(({ from }) => from === 'supervisor')).to.deep.equal([]);
    expect(await refusal('process.exit(3)')).to.contain('exited with code 3');
    expect(await refusal('', { run: { command: ['there-is-no-such-program'] } })).to.contain('ENOENT');
    const never = { ready: () => Promise.resolve(false), readyTimeoutMs: 300, stopTimeoutMs: 100 };
    expect(await refusal(IGNORES_SIGTERM, never)).to.contain('not ready after 0.3 s');
    const waiting = { command: ['sh', '-c', 'echo waits for the disk >&2; exec sleep 100'] };
    let reason = '';
    // On a busy machine, the shell may print its line only after a short timeout.
    for (const readyTimeoutMs of [300, 3_000, 30_000])
      if (!reason.includes('disk')) reason = await refusal('', { ...never, readyTimeoutMs, run: waiting });
    expect(reason).to.match(/not ready after [\d.]+ s\nwaits for the disk/);
    const explained = await refusal('process.exit(3)', { explainFailure: (messages) => `${messages}: see the manual` });
    expect(explained).to.equal('ProcessStartError: child could not start: exited with code 3: see the manual');
  });

  it('is given up after repeated exits', async () => {
    const child = await start(`${WELL_BEHAVED}; setTimeout(() => { console.error('broken'); process.exit(1); }, 100)`);
    const end = await child.ended;
    expect(end).to.deep.include({ requested: false });
    expect(end.requested ? '' : end.reason)
      .to.contain('3 times in a row')
      .and.to.contain('broken');
    expect(child.pid()).to.equal(undefined);
  });

  it('is not given up if it was healthy between its exits', async () => {
    const child = await start(WELL_BEHAVED, { restart: { ...FAST_RESTART, healthyAfterMs: 50 } });
    for (let exits = 1; exits <= FAST_RESTART.maxConsecutiveExits + 2; exits += 1) {
      await waitUntil(() => child.pid() !== undefined && child.readyLine()?.['pid'] === child.pid());
      // Longer than `healthyAfterMs`, counted after the supervisor has seen that the process is ready.
      await sleep(100);
      process.kill(child.pid()!, 'SIGKILL');
      await waitUntil(() => lines.filter(({ text }) => text.startsWith('exited')).length === exits);
    }
    await child.stop();
    expect(await child.ended).to.deep.equal({ requested: true });
  });
});
