import { WrongExpectedVersion } from '@popsvc/platform/event-store';
import { createLivenessMonitor } from '@popsvc/projectors/projections/liveness';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ground, log, openGround } from '../message-bus/buses.fixture.ts';
import { beat, changesOf, expected, forget, logged, monitored, nextDay, tellBeats } from './monitored.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const [days, fleet] = isLong ? [40, 30_000] : [2, 600];
const seed = isLong ? Math.floor(Math.random() * 2 ** 31) : 4_207;

/** Good enough to place a failure; Math.random would not come again. */
const random = (state: number) => () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};

class Planted extends Error {}

describe(`the monitor of liveness, when all goes wrong (seed ${seed})`, function () {
  this.timeout(isLong ? 3_600_000 : 60_000);
  let ground: Ground;
  let first = 0;
  before(async () => (ground = await openGround()));
  after(() => ground.close());
  beforeEach(() => nextDay(ground));

  const next = random(seed);
  const oneOf = <T>(...all: readonly T[]): T => all[Math.floor(next() * all.length)]!;
  const fail = (share: number) => {
    if (next() < share) throw new Planted();
  };
  const failing = (share: number): Pick<Ground, 'store' | 'postgres'> => ({
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
    // Transactions begin with a connection; a single statement asks the pool itself for one, with a callback.
    postgres: Object.create(ground.postgres, {
      connect: {
        value: (whenConnected?: Parameters<Ground['postgres']['connect']>[0]) => {
          if (!whenConnected) fail(share);
          else ground.postgres.connect(whenConnected);
          return whenConnected ? undefined : ground.postgres.connect();
        },
      },
    }) as Ground['postgres'],
  });
  const upTo = async (work: () => Promise<unknown>) => {
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof Planted) return false;
      throw error;
    }
  };

  /** Devices that beat for two hours with gaps short and long, told in the order of receipt, a part at a time. */
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

  const holds = async (receipts: ReadonlyMap<number, readonly number[]>, sweptAt: number) => {
    for (const [id, own] of receipts)
      expect(await changesOf(ground.store, { kind: 'device', id }), `${id}: ${own.join()}`).to.equal(
        expected(own, sweptAt - 30),
      );
  };

  it(`records each change once however often it dies, and PostgreSQL forgets (${days} days)`, async () => {
    let deaths = 0;
    for (let day = 0; day < days; day += 1) {
      const { receipts, all } = traffic(8);
      for (let at = 0; at < all.length;) {
        const some = all.slice(at, at + oneOf(1, 3, 20, 60));
        at += some.length;
        await tellBeats(
          ground.store,
          some.map(({ deviceId, at: received }) => beat(received, { deviceId })),
        );
        const life = monitored(failing(0.03));
        const seen = some.at(-1)!.at;
        if (!(await upTo(() => (next() < 0.3 ? life.sweepAt(seen) : life.until(seen))))) deaths += 1;
        if (next() < 0.05) await forget(ground.postgres);
      }
      await monitored(ground).sweepAt(9_000);
      await holds(receipts, 9_000);
      await nextDay(ground);
    }
    expect(deaths, 'deaths').to.be.greaterThan(days);
  });

  it('records each change once when two follow at a time, and each takes the lease from the other', async () => {
    const { receipts, all } = traffic(10);
    const end = new AbortController();
    const moved = [0, 0];
    const lives = moved.map(async (_, index) => {
      const monitor = createLivenessMonitor({ ...ground, owner: randomUUID(), log, ageMs: 2 });
      while (!end.signal.aborted) {
        await monitor.follow(end.signal, () => void (moved[index]! += 1)).catch(() => undefined);
        await sleep(10);
      }
    });
    for (let at = 0; at < all.length; at += 5) {
      const some = all.slice(at, at + 5);
      await tellBeats(
        ground.store,
        some.map(({ deviceId, at: received }) => beat(received, { deviceId })),
      );
      await sleep(oneOf(1, 5, 30));
      await ground.postgres.query(
        `UPDATE leases SET expires_at = now() - interval '1 s' WHERE projection = 'liveness'`,
      );
    }
    await sleep(50);
    end.abort();
    await Promise.all(lives);
    for (const times of moved) expect(times).to.be.greaterThan(0);
    await ground.postgres.query(`UPDATE leases SET expires_at = now() - interval '1 s' WHERE projection = 'liveness'`);
    await monitored(ground).sweepAt(9_000);
    await holds(receipts, 9_000);
  });

  it(`keeps few appends open when a whole fleet comes back (${fleet} devices)`, async () => {
    let [open, most, refused] = [0, 0, 0];
    const store: Ground['store'] = {
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
    const house = monitored({ ...ground, store });
    const everybody = Array.from({ length: fleet }, (_, n) => 1_000_000 + n);
    const comes = async (at: number) => {
      for (let from = 0; from < fleet; from += 500)
        await tellBeats(
          ground.store,
          everybody.slice(from, from + 500).map((deviceId) => beat(at, { deviceId })),
        );
    };
    const before = (await logged(ground.store)).length;
    await comes(0);
    await house.until(10);
    await comes(3_600);
    await house.until(3_610);
    expect(await house.sweepAt(4_000)).to.equal(fleet);
    expect((await logged(ground.store)).length - before).to.equal(4 * fleet);
    expect([most, refused]).to.deep.equal([32, 0]);
  });
});
