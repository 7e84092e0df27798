import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { intakeStream } from '@popsvc/contracts/events';
import { createLog } from '@popsvc/platform/telemetry';
import { type BuildDependencies, countLogInProcess, buildInProcesses } from '@popsvc/projectors/engine/replay';
import { expect } from 'chai';
import { told } from '../projectors/rebuilt.fixture.ts';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { build } from './building.fixture.ts';

const log = createLog('test', 'silent');
const startMs = Date.parse('2026-08-20T06:00:00.000Z');

/** Children of this process that build, by /proc: their ids and how nice they are. */
const builders = (): { readonly pid: number; readonly niceness: number }[] =>
  readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      if (!readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes('build-worker.js')) return [];
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(fields[1]) === process.pid ? [{ pid: Number(entry), niceness: Number(fields[16]) }] : [];
    } catch {
      return [];
    }
  });

const untilOne = async (isMeant: (builder: ReturnType<typeof builders>[number]) => boolean = () => true) => {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const found = builders().find(isMeant);
    if (found) return found;
    await sleep(10);
  }
  throw new Error('no process builds');
};

describe('parallel builds in child processes', function () {
  this.timeout(60_000);
  let system: TestSystem;
  let parts: Partial<BuildDependencies>;
  let processes: Parameters<typeof buildInProcesses>[0];
  before(async () => {
    system = await startTestSystem();
    await system.register(smallRegistry);
    for (let first = 0; first < 3_000; first += 500)
      await system.appendAll(
        intakeStream('pop', 1, 'acme', startMs),
        Array.from({ length: 500 }, (_, index) => ({
          type: 'PopRecorded',
          data: {
            eventId: `play-${first + index}`,
            screenId: 'screen-1',
            campaignId: 'C-100',
            creativeId: 'CR-1',
            playedAt: new Date(startMs + (first + index) * 10_000).toISOString(),
            durationMs: 10_000,
          },
        })),
      );
    await system.project();
    const env = { ...process.env, ...system.env, POPSVC_OPERATOR_TOKEN: randomUUID(), LOG_LEVEL: 'silent' };
    processes = { count: 1, log, env };
    parts = { partEvents: 500, runWorkers: buildInProcesses(processes) };
  });
  afterEach(() => expect(builders()).to.deep.equal([]));
  after(() => system.close());

  const expectSame = async (generation: number) => {
    const [live, built] = [await told(system, 1), await told(system, generation)];
    expect(live['coffee']).to.have.length(3_000);
    expect(built).to.deep.equal(live);
  };

  it('run at low priority and report their progress', async () => {
    const isNice = untilOne(({ niceness }) => niceness === 10);
    const [progress] = await Promise.all([build(system, 'coffee', 2, parts), isNice]);
    expect(progress.reduce((sum, { events }) => sum + events, 0)).to.be.greaterThan(3_000);
    expect(progress.at(-1)).to.have.property('position', await system.store.readHeadPosition());
    await expectSame(2);
  });

  it('are replaced when they are killed, and the new ones resume their parts', async () => {
    const building = build(system, 'coffee', 3, parts);
    const first = await untilOne();
    process.kill(first.pid, 'SIGKILL');
    await untilOne(({ pid }) => pid !== first.pid);
    // What it held is free when its lease is over; that a lease lasts its time is shown elsewhere (two-projectors.long.spec.ts).
    await system.postgres.query(`UPDATE leases SET expires_at = now() WHERE owner LIKE $1`, [`%/build-${first.pid}`]);
    await building;
    await expectSame(3);
  });

  it('end when the build is aborted', async () => {
    const end = new AbortController();
    const building = build(system, 'coffee', 4, { ...parts, signal: end.signal }).catch((error: unknown) => error);
    await untilOne();
    end.abort(new Error('enough'));
    expect(await building).to.have.property('message', 'enough');
  });

  it('count the events of the log', async () => {
    const { env } = processes;
    const upTo = await system.store.readHeadPosition();
    const told: number[] = [];
    const count = { prefixes: ['pop-', 'registry-network'], upTo };
    const counts = await countLogInProcess({ env })(count, (events) => told.push(events), new AbortController().signal);
    expect(counts).to.include({ PopRecorded: 3_000, NetworkRegistered: 1 });
    expect(told.at(-1)).to.be.at.least(3_001);
  });

  it('name the event that cannot be folded', async () => {
    await system.append(intakeStream('pop', 1, 'acme', startMs), 'PopRecorded', { eventId: 'half a play' });
    const error = (await build(system, 'coffee', 5, parts).catch((caught: unknown) => caught)) as Error;
    expect(error).to.have.property('name', 'UnfoldableEvent');
    expect(error.message).to.match(/PopRecorded at position \d+ in pop-1\.acme/);
  });
});
