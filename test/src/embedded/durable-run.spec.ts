import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDurableRun, recordStop } from '@popsvc/embedded/clickhouse';
import { expect } from 'chai';
import { useFakeTimers } from 'sinon';

describe('the run of the embedded ClickHouse in which nothing is lost', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'popsvc-durable-run-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const file = () => join(folder, 'durable-run.json');
  /** The first start, at the time 1. */
  const start = async () => {
    const clock = useFakeTimers({ now: 1, toFake: ['Date'] });
    try {
      return await openDurableRun(folder);
    } finally {
      clock.restore();
    }
  };
  const crashMachine = async () => {
    const run = JSON.parse(await readFile(file(), 'utf8')) as object;
    await writeFile(file(), JSON.stringify({ ...run, boot: 'earlier' }));
  };

  it('continues after a kill', async () => {
    await start();
    expect((await openDurableRun(folder)).since).to.equal(1);
  });

  it('ends with a crash of the machine', async () => {
    await start();
    await crashMachine();
    const { since } = await openDurableRun(folder);
    expect(since).to.be.greaterThan(1);
    expect((await openDurableRun(folder)).since).to.equal(since);
  });

  it('continues after a boot of the machine if ClickHouse stopped before it', async () => {
    await recordStop(folder, await start());
    await crashMachine();
    expect((await openDurableRun(folder)).since).to.equal(1);
    await crashMachine();
    expect((await openDurableRun(folder)).since, 'after a crash').to.be.greaterThan(1);
  });

  it('ends if its file is damaged', async () => {
    await start();
    await writeFile(file(), '{');
    expect((await openDurableRun(folder)).since).to.be.greaterThan(1);
  });
});
