import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createTestPartner, waitUntil, type Service, startService } from '@popsvc/tools/rig';
import { waitUntilProjected } from '../faults/damaged-installation.fixture.ts';
import { chooseRounds, chooseSeed, createFractions } from '../support/rounds.ts';
import {
  findProcessesOf,
  pushOverlapping,
  servicePortsOf,
  startAndCloseOutput,
  startAndWait,
} from './start-and-stop.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const rounds = chooseRounds(1, 100);
const seed = chooseSeed(7);

const startMs = Date.parse('2026-09-01T00:00:00Z');
const perRequest = 5;

/** Sizes of the backlog: requests, and plays and detections in each, which all overlap. */
const [backlogRequests, backlogSize] = isLong ? [12, 200] : [2, 100];
/** Within these times the service ends and, alone on a machine, is ready. */
/** The short form allows for other specs on the machine. */
const [stopMs, readyMs] = isLong ? [10_000, 30_000] : [30_000, 60_000];

describe(`kill -9 of the service during pushes, below a parent that does not reap (${rounds} rounds, seed ${seed})`, function () {
  this.timeout(isLong ? 7_200_000 : 300_000);
  let service: Service;
  after(() => service.stop());

  it('leaves every event acknowledged with 202 in the report once', async () => {
    const next = createFractions(seed);
    const acknowledged = new Set<string>();
    const unknown = new Set<string>();
    let sent = 0;
    service = await startService({ isReaped: false });

    const pushUntilDead = async (isDead: () => boolean) => {
      while (!isDead()) {
        const events = Array.from({ length: perRequest }, () => {
          sent += 1;
          const playedAt = new Date(startMs + sent * 250).toISOString();
          return {
            eventId: `k-${sent}`,
            screenId: 'demo-screen-1',
            campaignId: 'DEMO-1',
            creativeId: 'DEMO-CR-1',
            playedAt,
            durationMs: 200,
          };
        });
        const ids = events.map(({ eventId }) => eventId);
        const status = await createTestPartner(service.credentials)
          .push('/pop/events', { events })
          .then(
            (answer) => answer.status,
            () => 0,
          );
        for (const id of ids) (status === 202 ? acknowledged : unknown).add(id);
      }
    };

    for (let round = 0; round < rounds; round += 1) {
      let dead = false;
      const pushers = Array.from({ length: 4 }, () => pushUntilDead(() => dead));
      await sleep(300 + next() * 1_500);
      // The next start has to stop what a killed supervisor leaves behind.
      await (round % 2 === 0 ? service.killSupervisor() : service.kill9());
      dead = true;
      await Promise.all(pushers);
      // With the same ports, which the processes of the killed service may still use.
      service = await startService({ dataDir: service.dataDir, env: servicePortsOf(service), isReaped: false });
    }

    expect(acknowledged.size).to.be.greaterThan(rounds * perRequest);
    const { client } = createTestPartner(service.credentials);
    const window = { from: new Date(startMs), to: new Date(startMs + 86_400_000) };
    const read = async () => {
      const seen: string[] = [];
      for await (const row of client.coffee(window)) seen.push(row.EVENT_ID);
      return seen;
    };
    await waitUntilProjected(service.credentials);
    const seen = await waitUntil(read, (ids) => [...acknowledged].every((id) => ids.includes(id)), 30_000);
    expect(new Set(seen).size, 'no event twice').to.equal(seen.length);
    expect(
      seen.filter((id) => !acknowledged.has(id) && !unknown.has(id)),
      'no unknown event',
    ).to.deep.equal([]);
    process.stdout.write(
      `      ${rounds} kills: ${acknowledged.size} acknowledged, ${seen.length} in coffee, ${seen.length - acknowledged.size} stored without an acknowledgement\n`,
    );
  });

  it('refuses a second start on the same folder, and names the process that uses it', async () => {
    const { error, code } = await startAndWait(service.dataDir, { env: servicePortsOf(service) });
    expect(error).to.include(`is in use by process ${service.pid}`);
    expect(code).to.equal(1);
  });

  it('ends while a batch is derived, and is ready again before the batch is done', async () => {
    await pushOverlapping(service.credentials, backlogRequests, backlogSize);
    // The projectors begin the batch.
    await sleep(1_500);
    for (let round = 1; ; round += 1) {
      const stoppedAt = performance.now();
      await service.stop();
      const stopTook = performance.now() - stoppedAt;
      expect(stopTook).to.be.lessThan(stopMs);
      if (round > (isLong ? 5 : 0)) return;
      const startedAt = performance.now();
      service = await startService({ dataDir: service.dataDir, isReaped: false });
      const startTook = performance.now() - startedAt;
      process.stdout.write(`      stopped in ${Math.round(stopTook)} ms, ready in ${Math.round(startTook)} ms\n`);
      expect(startTook).to.be.lessThan(readyMs);
      await sleep(3_000);
    }
  });

  it('ends while it starts, and leaves no process behind', async () => {
    for (const afterMs of isLong ? [0, 100, 300, 600, 1_000, 1_500, 2_000, 3_000, 4_000] : [700]) {
      const startedAt = performance.now();
      const { error } = await startAndWait(service.dataDir, { stopAfterMs: afterMs });
      expect(performance.now() - startedAt - afterMs).to.be.lessThan(stopMs);
      expect(error).to.not.include('could not start');
      expect(findProcessesOf(service.dataDir)).to.deep.equal([]);
    }
  });

  it('ends with all its processes if what reads its output has ended', async () => {
    expect(await startAndCloseOutput(service.dataDir)).to.equal(0);
    expect(findProcessesOf(service.dataDir)).to.deep.equal([]);
  });
});
