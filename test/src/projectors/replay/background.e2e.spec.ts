import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { intakeStream } from '@popsvc/contracts/events';
import { buildInBackground } from '@popsvc/projectors/engine/replay';
import { expect } from 'chai';
import { readTables } from '../rebuild.fixture.ts';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { build, type BuildOptions } from './building.fixture.ts';
import { listEvent, listEvents } from '../../support/list-events.ts';

const startMs = Date.parse('2026-08-20T06:00:00.000Z');

interface BackgroundProcess {
  readonly pid: number;
  readonly niceness: number;
}

/** Child processes of this process that build, by /proc. */
const findProcesses = (): readonly BackgroundProcess[] =>
  readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      if (!readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes('replay-process.js')) return [];
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(fields[1]) === process.pid ? [{ pid: Number(entry), niceness: Number(fields[16]) }] : [];
    } catch {
      return [];
    }
  });

const waitForProcess = async (matches: (found: BackgroundProcess) => boolean = () => true) => {
  for (let tries = 0; tries < 400; tries += 1) {
    const found = findProcesses().find(matches);
    if (found) return found;
    await sleep(30);
  }
  throw new Error('no background process started');
};

describe('background processes of a replay', function () {
  let system: TestSystem;
  let env: NodeJS.ProcessEnv;
  let options: BuildOptions;
  before(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee'] });
    await system.register(smallRegistry);
    for (let first = 0; first < 3_000; first += 500)
      await system.appendAll(
        intakeStream('pop', 1, 'acme', startMs),
        listEvents(
          'PlaysRecorded',
          Array.from({ length: 500 }, (_, index) => ({
            eventId: `play-${first + index}`,
            screenId: 'screen-1',
            campaignId: 'C-100',
            creativeId: 'CR-1',
            playedAt: new Date(startMs + (first + index) * 10_000).toISOString(),
            durationMs: 10_000,
          })),
          100,
        ),
      );
    await system.project();
    env = { ...process.env, ...system.env, POPSVC_OPERATOR_TOKEN: randomUUID(), LOG_LEVEL: 'silent' };
    options = { build: buildInBackground(env), owner: 'background' };
  });
  afterEach(() => expect(findProcesses()).to.deep.equal([]));
  after(() => system.close());

  const expectLiveRows = async (generation: number) => {
    const [live, built] = [await readTables(system, 1), await readTables(system, generation)];
    expect(live['coffee']).to.have.length(3_000);
    expect(built).to.deep.equal(live);
  };

  it('build at low priority and report their progress', async () => {
    const isNice = waitForProcess(({ niceness }) => niceness === 10);
    const [reports] = await Promise.all([build(system, 'coffee', 2, options), isNice]);
    const events = reports.reduce((sum, report) => sum + report.events, 0);
    expect(events).to.be.greaterThan(3_000);
    expect(reports.at(-1)).to.include({ position: await system.store.readHeadPosition(), total: events });
    await expectLiveRows(2);
  });

  it('are replaced when they are killed: the next one takes over the lease and resumes', async () => {
    const building = build(system, 'coffee', 3, options).catch((error: unknown) => error);
    const { pid } = await waitForProcess();
    process.kill(pid, 'SIGKILL');
    expect(await building)
      .to.have.property('message')
      .that.includes('exited unexpectedly');
    await build(system, 'coffee', 3, options);
    await expectLiveRows(3);
  });

  it('end when the build is aborted', async () => {
    const end = new AbortController();
    const building = build(system, 'coffee', 4, { ...options, signal: end.signal }).catch((error: unknown) => error);
    await waitForProcess();
    end.abort(new Error('enough'));
    expect(await building).to.have.property('message', 'enough');
  });

  it('name the event that cannot be folded', async () => {
    const { type, data } = listEvent('PlaysRecorded', { eventId: 'half a play' });
    await system.append(intakeStream('pop', 1, 'acme', startMs), type, data);
    const error = (await build(system, 'coffee', 5, options).catch((caught: unknown) => caught)) as Error;
    expect(error).to.have.property('name', 'UnfoldableEvent');
    expect(error.message).to.match(/PlaysRecorded at position \d+:0 in pop-1\.acme/);
  });
});
