import { expect } from 'chai';
import { type ProcessOptions } from '@popsvc/embedded/supervisor';
import { GOOD, partsOfTests, QUICK, STUBBORN, until } from './parts.fixture.ts';

describe('the supervisor keeps a part alive: it', () => {
  const { lines, start } = partsOfTests();
  const refusal = async (code: string, options: Partial<ProcessOptions> = {}): Promise<string> =>
    start(code, options).then(
      () => 'it started',
      (error: unknown) => String(error),
    );

  it('waits for the ready line and hands on every other one', async () => {
    const part = await start(GOOD);
    expect(part.readyLine()).to.deep.equal({ ready: true, pid: part.pid() });
    await until(() => lines.length >= 2);
    expect(lines).to.have.deep.members([
      { name: 'part', from: 'stdout', text: 'starting' },
      { name: 'part', from: 'stderr', text: 'a warning' },
    ]);
  });

  it('waits for a question to be answered with yes', async () => {
    let asked = 0;
    const ready = (): Promise<boolean> => {
      asked += 1;
      return asked < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve(asked > 4);
    };
    await start(GOOD, { ready });
    expect(asked).to.equal(5);
  });

  it('starts a killed part again', async () => {
    const part = await start(GOOD);
    const first = part.pid();
    process.kill(first ?? 0, 'SIGKILL');
    await until(() => part.pid() !== undefined && part.pid() !== first && part.readyLine()?.['pid'] === part.pid());
    expect(lines.map(({ text }) => text).join('\n')).to.contain('ended by SIGKILL');
  });

  it('does not try again what dies at its start, and says why', async () => {
    const startedAt = Date.now();
    expect(await refusal(`console.error('port 8123 is already in use'); process.exit(1)`)).to.equal(
      'Error: part could not start: port 8123 is already in use',
    );
    expect(Date.now() - startedAt).to.be.lessThan(2_000);
    expect(await refusal('process.exit(3)')).to.contain('exited with code 3');
    expect(await refusal('', { run: { command: ['there-is-no-such-program'] } })).to.contain('ENOENT');
    expect(
      await refusal(STUBBORN, { ready: () => Promise.resolve(false), readyTimeoutMs: 300, stopTimeoutMs: 100 }),
    ).to.contain('not ready after 0.3 s');
  });

  it('gives up a part that dies again and again', async () => {
    const part = await start(`${GOOD}; setTimeout(() => { console.error('broken'); process.exit(1); }, 100)`);
    const end = await part.ended;
    expect(end).to.deep.include({ requested: false });
    expect(end.requested ? '' : end.reason)
      .to.contain('3 times in a row')
      .and.to.contain('broken');
    expect(part.pid()).to.equal(undefined);
  });

  it('forgives deaths after a healthy while', async () => {
    const part = await start(`${GOOD}; setTimeout(() => process.exit(1), 150)`, {
      restart: { ...QUICK, healthyAfterMs: 50 },
    });
    await until(
      () => lines.filter(({ text }) => text.startsWith('exited')).length > QUICK.maxConsecutiveExits + 1,
      10_000,
    );
    await part.stop();
    expect(await part.ended).to.deep.equal({ requested: true });
  });
});
