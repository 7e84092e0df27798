import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPart, stopParts, type Part, type PartLine, type PartOptions } from '@popsvc/embedded/supervise';
import { expect } from 'chai';
import { room } from '../support/engines.ts';

/** A part that says it is ready, and ends with its parent. */
const GOOD = `process.stdin.on('end', () => process.exit(0)).resume();
  process.on('SIGTERM', () => process.exit(0));
  console.log('starting'); console.error('a warning'); console.log(JSON.stringify({ ready: true, pid: process.pid }));`;
const STUBBORN = `process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000); console.log('{"ready":true}')`;
const QUICK = { firstMs: 20, longestMs: 40, healthyAfterMs: 60_000, giveUpAfter: 3 };

const running = (pid: number | undefined): boolean => {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
};
const until = async (what: () => boolean, limitMs = 5_000): Promise<void> => {
  const deadline = Date.now() + limitMs;
  while (!what() && Date.now() < deadline) await sleep(10);
  expect(what(), `within ${limitMs} ms`).to.equal(true);
};

describe('the supervisor', () => {
  let parts: Part[] = [];
  const lines: PartLine[] = [];
  const start = async (code: string, options: Partial<PartOptions> = {}): Promise<Part> => {
    const part = await startPart({
      name: 'part',
      run: { command: [process.execPath, '-e', code] },
      ready: 'json-line',
      restart: QUICK,
      onLine: (line) => lines.push(line),
      ...options,
    });
    parts.push(part);
    return part;
  };
  const refusal = async (code: string, options: Partial<PartOptions> = {}): Promise<string> =>
    start(code, options).then(
      () => 'it started',
      (error: unknown) => String(error),
    );

  afterEach(async () => {
    await stopParts(parts);
    parts = [];
    lines.length = 0;
  });

  it('waits for the ready line and hands on every other one', async () => {
    const part = await start(GOOD);
    expect(part.readyLine()).to.deep.equal({ ready: true, pid: part.pid() });
    await until(() => lines.length >= 2);
    expect(lines).to.have.deep.members([
      { part: 'part', from: 'stdout', text: 'starting' },
      { part: 'part', from: 'stderr', text: 'a warning' },
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
    expect(await refusal('process.exit(3)')).to.contain('ended with code 3');
    expect(await refusal('', { run: { command: ['there-is-no-such-program'] } })).to.contain('ENOENT');
    expect(
      await refusal(STUBBORN, { ready: () => Promise.resolve(false), readyTimeoutMs: 300, stopTimeoutMs: 100 }),
    ).to.contain('not ready after 0.3 s');
  });

  it('gives up a part that dies again and again', async () => {
    const part = await start(`${GOOD}; setTimeout(() => { console.error('broken'); process.exit(1); }, 100)`);
    const end = await part.ended;
    expect(end).to.deep.include({ asked: false });
    expect(end.asked ? '' : end.reason)
      .to.contain('3 times in a row')
      .and.to.contain('broken');
    expect(part.pid()).to.equal(undefined);
  });

  it('forgives deaths after a healthy while', async () => {
    const part = await start(`${GOOD}; setTimeout(() => process.exit(1), 150)`, {
      restart: { ...QUICK, healthyAfterMs: 50 },
    });
    await until(() => lines.filter(({ text }) => text.startsWith('died')).length > QUICK.giveUpAfter + 1, 10_000);
    await part.stop();
    expect(await part.ended).to.deep.equal({ asked: true });
  });

  it('kills what does not stop when asked', async () => {
    const part = await start(STUBBORN, { stopTimeoutMs: 200 });
    const pid = part.pid();
    const askedAt = Date.now();
    await part.stop();
    expect(Date.now() - askedAt).to.be.within(190, 3_000);
    expect(running(pid)).to.equal(false);
  });

  it('can be stopped while a part is down', async () => {
    const part = await start(GOOD, { restart: { ...QUICK, firstMs: 60_000, longestMs: 60_000 } });
    process.kill(part.pid() ?? 0, 'SIGKILL');
    await until(() => lines.some(({ text }) => text.startsWith('died')));
    await part.stop();
    expect(await part.ended).to.deep.equal({ asked: true });
  });

  it('stops parts in reverse order, each only when the one before is gone', async () => {
    const stopped: string[] = [];
    const slow = `process.on('SIGTERM', () => setTimeout(() => process.exit(0), 100)); process.stdin.resume();
      console.log('{"ready":true}')`;
    for (const name of ['engine', 'service', 'console']) {
      const part = await start(slow, { name });
      void part.ended.then(() => stopped.push(name));
    }
    await stopParts(parts);
    expect(stopped).to.deep.equal(['console', 'service', 'engine']);
  });

  it('leaves no child behind when it is killed itself', async () => {
    const fixture = fileURLToPath(new URL('./supervisor.fixture.js', import.meta.url));
    const supervisor = spawn(process.execPath, [fixture, await room('supervisor')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pids = await new Promise<readonly number[]>((resolve) => {
      createInterface(supervisor.stdout).once('line', (line) => resolve(JSON.parse(line) as number[]));
    });
    expect(pids).to.have.length(2);
    expect(pids.every(running)).to.equal(true);
    supervisor.kill('SIGKILL');
    await until(() => !pids.some(running), 10_000);
  });
});
