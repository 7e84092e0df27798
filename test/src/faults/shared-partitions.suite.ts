import { setTimeout as sleep } from 'node:timers/promises';
import { intakeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { createRandom, waitUntil } from '@popsvc/tools/rig';
import {
  assertCheckpointsOnlyGrew,
  assertNothingParked,
  assertTablesMatchLog,
  waitUntilCaughtUp,
} from '@popsvc/tools/soak';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { chooseSeed } from '../support/rounds.ts';
import { type ProjectorsProcess, startProjectors } from './projectors-process.fixture.ts';
import type { Stage } from './stage.fixture.ts';

const seed = chooseSeed(20_261_127);
const partitions = 4;
const units = allProjections.reduce((sum, { isSplit }) => sum + (isSplit ? partitions : 1), 0);
const leaseMs = 15_000;

const registryOf = (networks: readonly number[]) => ({
  networks: networks.map((id) => ({ id, name: `Network ${id}`, timezone: 'Europe/London' })),
  vendors: networks.map((network) => ({ code: `v${network}`, name: `Vendor ${network}`, network })),
  sites: networks.map((id) => ({ id, name: `Site ${id}`, network: id, timezone: 'Europe/London' })),
  locations: networks.map((id) => ({ id, name: `Location ${id}`, site: id })),
  devices: networks.map((id) => ({ id, name: `Device ${id}`, location: id, screen_ids: [`screen-${id}`] })),
});

interface SharedPartitionsOptions {
  readonly isLong: boolean;
  readonly openStage: () => Promise<Stage>;
  /** Variables of the processes; default: none besides those of the stores. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Two processes of projectors share the partitions under load. One of them is killed, another one is stopped. Requires that the tables
 * equal those of a build from the log.
 */
export const testSharedPartitions = ({ isLong, openStage, env = {} }: SharedPartitionsOptions): void => {
  const networks = Array.from({ length: isLong ? 12 : 6 }, (_, index) => index + 1);
  const registry = registryOf(networks);
  /** Lease, and the poll of the process that takes over. Other specs run at the same time as the short form. */
  const takeoverMs = leaseMs + (isLong ? 10_000 : 40_000);

  let stage: Stage;
  let isOver = false;
  let flowing: Promise<void>;
  let plays = 0;
  const running: ProjectorsProcess[] = [];
  const start = async (name: string) => {
    const started = await startProjectors(stage.stores, {
      ...env,
      POPSVC_INSTANCE: name,
      PROJECTION_PARTITIONS: String(partitions),
    });
    running.push(started);
    return started;
  };
  before(async () => {
    stage = await openStage();
    await stage.register(registry);
    flowing = sendTraffic();
    flowing.catch(() => undefined);
  });
  after(async () => {
    isOver = true;
    for (const process of running.splice(0)) await process.kill9();
    await stage.close();
  });

  const sendTraffic = async () => {
    const { below } = createRandom(seed);
    const beginMs = Date.parse('2026-08-20T00:00:00Z');
    for (let step = 0; !isOver; step += 1) {
      const network = networks[below(networks.length)]!;
      const source = { network, vendor: `v${network}` };
      const at = (seconds: number) => instantOf(beginMs + (step + seconds) * 1_000);
      const events = Array.from({ length: 1 + below(20) }, (_, index) => ({
        eventId: `p-${step}-${index}`,
        screenId: `screen-${network}`,
        campaignId: 'C',
        creativeId: 'CR',
        playedAt: at(index),
        durationMs: 10_000,
      }));
      await stage.append(
        intakeStream('pop', network, source.vendor, 0),
        [{ type: 'PlaysRecorded', data: { plays: events } }],
        source,
      );
      plays += events.length;
      const detection = {
        detectionId: `d-${step}`,
        revision: 0,
        deviceId: network,
        watcherId: 1,
        startedAt: at(1),
        endedAt: at(6),
        distance: [],
        watches: [{ startedAt: at(2), endedAt: at(5) }],
        population: 'VIEWER',
      };
      await stage.append(
        intakeStream('detection', network, source.vendor, 0),
        [{ type: 'DetectionsRecorded', data: { detections: [detection] } }],
        source,
      );
      await stage.append(
        intakeStream('heartbeat', network, source.vendor, 0),
        [{ type: 'HeartbeatsRecorded', data: { heartbeats: [{ deviceId: network, at: at(0) }] } }],
        source,
      );
      if (step % (isLong ? 50 : 5) === 4)
        await stage.register({
          networks: registry.networks.map((each) => ({ ...each, name: `${each.name}, ${step}` })),
        });
      await sleep(isLong ? 20 : 2_000);
    }
  };

  /** Number of live partitions that a process runs: of all projections, and of coffee. */
  const heldBy = async (name: string) => {
    const { rows } = await stage.postgres.query<{ all: number; coffee: number }>(
      `SELECT count(*)::int AS all, count(*) FILTER (WHERE projection = 'coffee')::int AS coffee
       FROM leases JOIN generations USING (projection, generation)
       WHERE state = 'live' AND owner = $1 AND expires_at > now()`,
      [name],
    );
    return rows[0]!;
  };
  const timeUntil = async (name: string, holds: (held: { all: number; coffee: number }) => boolean) => {
    const began = performance.now();
    await waitUntil(() => heldBy(name), holds, 120_000).catch((error: unknown) => {
      for (const each of running) process.stdout.write(`${each.lines.slice(-60).join('\n')}\n---\n`);
      throw error;
    });
    return Math.round(performance.now() - began);
  };

  it(`share the partitions under load, survive a kill and a stop, and store everything once (seed ${seed})`, async () => {
    await start('one');
    await timeUntil('one', ({ all }) => all === units);
    await sleep(isLong ? 20_000 : 1_000);
    const second = await start('two');
    const joinedMs = await timeUntil('two', ({ coffee }) => coffee === partitions / 2);
    await timeUntil('two', ({ all }) => all >= units / 2 - 3);
    await sleep(isLong ? 20_000 : 1_000);
    await second.kill9();
    const takenOverMs = await timeUntil('one', ({ all }) => all === units);
    expect(takenOverMs).to.be.lessThan(takeoverMs);
    const third = await start('three');
    await timeUntil('three', ({ coffee }) => coffee === partitions / 2);
    await third.stop();
    const handedOverMs = await timeUntil('one', ({ all }) => all === units);
    expect(handedOverMs).to.be.lessThan(leaseMs);
    await sleep(isLong ? 20_000 : 1_000);
    isOver = true;
    await flowing;
    await waitUntilCaughtUp(stage, 120_000);
    await running[0]!.stop();
    await assertNothingParked(stage);
    await assertCheckpointsOnlyGrew(stage);
    const [stored] = await stage.writer.rows<{ plays: number }>(
      `SELECT toUInt32(uniqExact(event_id)) AS plays FROM coffee_live`,
    );
    expect(stored!.plays).to.equal(plays);
    const rows = await assertTablesMatchLog(stage, { wholeRows: !isLong });
    process.stdout.write(
      `      joined: half of coffee after ${joinedMs} ms; killed: taken over after ${takenOverMs} ms; ` +
        `stopped: taken over after ${handedOverMs} ms; ${plays} plays, ${rows} rows\n`,
    );
  });
};
