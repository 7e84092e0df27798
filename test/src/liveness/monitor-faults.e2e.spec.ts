import { WrongExpectedVersion } from '@popsvc/platform/event-store';
import { createMetrics } from '@popsvc/platform/telemetry';
import { createStatusRegistry } from '@popsvc/projectors/engine';
import { createLivenessMonitor, runLivenessMonitor } from '@popsvc/projectors/projections/liveness';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFractions } from '../support/rounds.ts';
import { type TestStores, log, openTestStores } from '../message-bus/bus.fixture.ts';
import {
  heartbeat,
  changesOf,
  expected,
  clearStoredStates,
  readLivenessEvents,
  monitored,
  nextDay,
  appendHeartbeats,
} from './monitored.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const [days, fleet] = isLong ? [40, 30_000] : [2, 600];
const seed = isLong ? Math.floor(Math.random() * 2 ** 31) : 4_207;

class InjectedFault extends Error {}

describe(`the liveness monitor under faults (seed ${seed})`, function () {
  this.timeout(isLong ? 3_600_000 : 180_000);
  let ground: TestStores;
  let first = 0;
  before(async () => (ground = await openTestStores()));
  after(() => ground.close());
  beforeEach(() => nextDay(ground));

  const next = createFractions(seed);
  const oneOf = <T>(...all: readonly T[]): T => all[Math.floor(next() * all.length)]!;
  const fail = (share: number) => {
    if (next() < share) throw new InjectedFault();
  };
  const failing = (share: number): Pick<TestStores, 'store' | 'postgres'> => ({
    store: {
      ...ground.store,
      async append(stream, ...rest) {
        const isOurs = stream.startsWith('liveness-');
        if (isOurs) fail(share);
        const done = await ground.store.append(stream, ...rest);
        if (isOurs) fail(share);
        return done;
      },
    },
    // A transaction takes a connection with a promise; a single statement takes one from the pool with a callback.
    postgres: Object.create(ground.postgres, {
      connect: {
        value: (whenConnected?: Parameters<TestStores['postgres']['connect']>[0]) => {
          if (!whenConnected) fail(share);
          else ground.postgres.connect(whenConnected);
          return whenConnected ? undefined : ground.postgres.connect();
        },
      },
    }) as TestStores['postgres'],
  });
  const runUntilFault = async (work: () => Promise<unknown>) => {
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof InjectedFault) return false;
      throw error;
    }
  };

  /** Devices that send heartbeats for two hours with short and long gaps, in order of receipt, a part at a time. */
  const traffic = (devices: number) => {
    const receipts = new Map<number, number[]>();
    for (let n = 0; n < devices; n += 1) {
      const own: number[] = [];
      for (let at = Math.floor(next() * 300); at < 7_200; at += oneOf(60, 60, 60, 299, 300, 301, 331, 900))
        own.push(at);
      receipts.set(first + n, own);
    }
    first += devices;
    const all = [...receipts].flatMap(([deviceId, own]) => own.map((at) => ({ deviceId, at })));
    return { receipts, all: all.sort((one, other) => one.at - other.at) };
  };

  const expectChanges = async (receipts: ReadonlyMap<number, readonly number[]>, sweptAt: number) => {
    for (const [id, own] of receipts)
      expect(await changesOf(ground.store, { kind: 'device', id }), `${id}: ${own.join()}`).to.equal(
        expected(own, sweptAt - 30),
      );
  };

  it(`records each change once across crashes and losses of the states in PostgreSQL (${days} days)`, async () => {
    let crashes = 0;
    for (let day = 0; day < days; day += 1) {
      const { receipts, all } = traffic(8);
      for (let at = 0; at < all.length;) {
        const some = all.slice(at, at + oneOf(1, 3, 20, 60));
        at += some.length;
        await appendHeartbeats(
          ground.store,
          some.map(({ deviceId, at: received }) => heartbeat(received, { deviceId })),
        );
        const run = monitored(failing(0.03));
        const seen = some.at(-1)!.at;
        if (!(await runUntilFault(() => (next() < 0.3 ? run.sweepAt(seen) : run.until(seen))))) crashes += 1;
        if (next() < 0.05) await clearStoredStates(ground.postgres);
      }
      await monitored(ground).sweepAt(9_000);
      await expectChanges(receipts, 9_000);
      await nextDay(ground);
    }
    expect(crashes, 'crashes').to.be.greaterThan(days);
  });

  it('records each change once while two monitors take the lease from each other', async () => {
    const { receipts, all } = traffic(10);
    const end = new AbortController();
    const moved = [0, 0];
    const runs = moved.map(async (_, index) => {
      const monitor = createLivenessMonitor({ ...ground, owner: randomUUID(), log, ageMs: 2 });
      while (!end.signal.aborted) {
        await monitor.follow(end.signal, () => void (moved[index]! += 1)).catch(() => undefined);
        await sleep(10);
      }
    });
    for (let at = 0; at < all.length; at += 5) {
      const some = all.slice(at, at + 5);
      await appendHeartbeats(
        ground.store,
        some.map(({ deviceId, at: received }) => heartbeat(received, { deviceId })),
      );
      await sleep(oneOf(1, 5, 30));
      await ground.postgres.query(
        `UPDATE leases SET expires_at = now() - interval '1 s' WHERE projection = 'liveness'`,
      );
    }
    await sleep(50);
    end.abort();
    await Promise.all(runs);
    for (const times of moved) expect(times).to.be.greaterThan(0);
    await ground.postgres.query(`UPDATE leases SET expires_at = now() - interval '1 s' WHERE projection = 'liveness'`);
    await monitored(ground).sweepAt(9_000);
    await expectChanges(receipts, 9_000);
  });

  it('waits while another process runs the monitor, and continues when that process stops', async () => {
    const start = () => {
      const [end, statusRegistry] = [new AbortController(), createStatusRegistry()];
      const process = { ...ground, log, statusRegistry, metrics: createMetrics('test'), owner: randomUUID() };
      const running = runLivenessMonitor(process, end.signal);
      const waitForState = (wanted: string) =>
        waitUntil(
          () => Promise.resolve(statusRegistry.statuses[0]!.state),
          (state) => state === wanted,
        );
      return { end, running, waitForState };
    };
    const deviceId = first;
    first += 1;
    const one = start();
    await appendHeartbeats(ground.store, [heartbeat(0, { deviceId })]);
    await one.waitForState('running');
    const other = start();
    await other.waitForState('waiting');
    one.end.abort();
    await one.running;
    await appendHeartbeats(ground.store, [heartbeat(1_000, { deviceId })]);
    await waitUntil(
      () => changesOf(ground.store, { kind: 'device', id: deviceId }),
      (changes) => changes === '+0 -300 +1000',
    );
    await other.waitForState('running');
    other.end.abort();
    await other.running;
  });

  it(`limits concurrent appends when a whole fleet comes back (${fleet} devices)`, async () => {
    let [open, most, refused] = [0, 0, 0];
    const store: TestStores['store'] = {
      ...ground.store,
      async append(stream, ...rest) {
        open += stream.startsWith('liveness-') ? 1 : 0;
        most = Math.max(most, open);
        try {
          return await ground.store.append(stream, ...rest);
        } catch (error) {
          if (error instanceof WrongExpectedVersion) refused += 1;
          throw error;
        } finally {
          open -= stream.startsWith('liveness-') ? 1 : 0;
        }
      },
    };
    const service = monitored({ ...ground, store });
    const allDevices = Array.from({ length: fleet }, (_, n) => 1_000_000 + n);
    const receiveFleet = async (at: number) => {
      for (let from = 0; from < fleet; from += 500)
        await appendHeartbeats(
          ground.store,
          allDevices.slice(from, from + 500).map((deviceId) => heartbeat(at, { deviceId })),
        );
    };
    const before = (await readLivenessEvents(ground.store)).length;
    await receiveFleet(0);
    await service.until(10);
    await receiveFleet(3_600);
    await service.until(3_610);
    expect(await service.sweepAt(4_000)).to.equal(fleet);
    expect((await readLivenessEvents(ground.store)).length - before).to.equal(4 * fleet);
    expect([most, refused]).to.deep.equal([32, 0]);
  });
});
