import { setTimeout as sleep } from 'node:timers/promises';
import { sequenceOf } from '@popsvc/contracts/events';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import { EventLogDamaged, type EventStore, EventStoreUnavailable } from '@popsvc/platform/event-store';
import { registerProjection, countParkedEvents, pauseProjection } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { createStatusRegistry, superviseProjections, type SupervisorDependencies } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { reusableReadModels } from '../../support/test-read-models.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { decide, runTo } from '../parking/parked.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const coffee = allProjections.find(({ name }) => name === 'coffee')!;
const limits = { rows: 10_000, bytes: 1e9, ageMs: 30 };
const log = createLog('test', 'silent');

const reasonOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => '',
    (error: unknown) => String(error),
  );

describe('a runner with faults', function () {
  const readModels = reusableReadModels();
  let system: TestSystem;
  beforeEach(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee'], readModels });
    await system.register(smallRegistry);
    await registerProjection(system.postgres, 'coffee', 1);
  });
  afterEach(() => system.close());

  const events = async () => (await system.rows(coffeeDataset)).map((row) => row['EVENT_ID']);
  const parked = async () => (await countParkedEvents(system.postgres))[0]?.parked ?? 0;

  /** A process of projectors that knows one projection. */
  const working = (owner: string, more: Partial<SupervisorDependencies> = {}) => {
    const [statusRegistry, end] = [createStatusRegistry(), new AbortController()];
    const parts = {
      ...system.parts,
      postgres: system.postgres,
      statusRegistry,
      projections: [coffee],
      log,
      owner,
      limits,
    };
    const done = superviseProjections({ ...parts, leaseMs: isLong ? 15_000 : 1_500, ...more }, end.signal);
    return {
      statusRegistry,
      async stop() {
        end.abort();
        await done;
      },
    };
  };

  it('parks a hundred events a minute and then fails, until an operator resumes it', async () => {
    const bad = Array.from({ length: 130 }, () => ({ type: 'PlaysRecorded', data: { plays: [{ eventId: 7 }] } }));
    await system.appendAll('pop-1.acme.20260820', bad);
    const small = { ...limits, rows: 10 };
    expect(await reasonOf(runTo(system, 'coffee', { limits: small }))).to.match(
      /more than 100 events .* resume coffee/,
    );
    expect(await parked()).to.equal(100);
    // Another run, for which the minute has passed, parks none of them either.
    await system.postgres.query(`UPDATE parked_events SET parked_at = now() - interval '1 hour'`);
    expect(await reasonOf(runTo(system, 'coffee', { limits: small }))).to.include('ParkingLimitReached');
    expect(await parked()).to.equal(100);
    await pauseProjection(system.postgres, 'coffee', false);
    await runTo(system, 'coffee', { limits: small });
    expect(await parked()).to.equal(130);
  });

  it('stops at an event of the registry that it cannot project, and continues by itself after an operator discards it', async () => {
    await system.play({ eventId: 'A' });
    const position = await system.append('registry-site.2', 'SiteChanged', {
      ...smallRegistry.sites[0],
      timezone: 'Etc/Unknown',
    });
    await system.play({ eventId: 'B' });
    const worker = working('one');
    try {
      const statusOf = () => Promise.resolve(worker.statusRegistry.statuses[0]);
      const stopped = await waitUntil(statusOf, (status) => status?.state === 'failing', 20_000);
      expect(stopped!.error).to.match(
        new RegExp(`position ${position}:0 .* lacks the time zone .* discard coffee --position ${position}:0 `),
      );
      expect(await events()).to.deep.equal(['A']);
      await decide(system, { projection: 'coffee', sequences: [sequenceOf(position)], reason: 'no such zone' });
      await waitUntil(statusOf, (status) => status?.state === 'running', 60_000);
      expect(await events()).to.have.members(['A', 'B']);
    } finally {
      await worker.stop();
    }
  });

  it('opens a silent subscription again from its checkpoint', async () => {
    const { store } = system.parts;
    let opened = 0;
    const mute: EventStore = {
      ...store,
      async *subscribe(options) {
        opened += 1;
        if (opened > 1) {
          yield* store.subscribe(options);
          return;
        }
        yield { kind: 'caught-up' };
        await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve()));
      },
    };
    await system.play({ eventId: 'A' });
    const worker = working('mute', { store: mute, silenceTimeout: { catchUpMs: 600, liveMs: 300 } });
    try {
      await waitUntil(events, (ids) => ids.length === 1, 20_000);
      expect(opened).to.be.greaterThan(1);
    } finally {
      await worker.stop();
    }
  });

  it('leaves its partition to another process after three failures, although it is preferred', async () => {
    const { writer, leases } = system.parts;
    const broken = { ...writer, insert: () => Promise.reject(new Error('connect ECONNREFUSED')) };
    let isWanted = false;
    const polling = setInterval(
      () => void leases.readWanted('two').then((wanted) => (isWanted = wanted.length > 0)),
      200,
    );
    const membership = (isPreferred: boolean) => ({
      isAlone: () => false,
      isPreferred: () => isPreferred,
      shouldHandBack: () => isWanted,
    });
    await system.play({ eventId: 'A' });
    const one = working('one', { writer: broken, membership: membership(true) });
    const two = working('two', { membership: membership(false) });
    try {
      await waitUntil(events, (ids) => ids.length === 1, 40_000);
      const owners = new Set<string>();
      for (let seen = 0; seen < 20; seen += 1) {
        const { rows } = await system.postgres.query<{ owner: string }>(
          'SELECT owner FROM leases WHERE projection = $1',
          ['coffee'],
        );
        for (const { owner } of rows) owners.add(owner);
        await sleep(300);
      }
      expect([...owners]).to.deep.equal(['two']);
    } finally {
      clearInterval(polling);
      await Promise.all([one.stop(), two.stop()]);
    }
  });

  it('parks nothing while a store is down, reports the error, and continues by itself', async () => {
    let isDown = true;
    const down = () => Promise.reject(new Error('connect ECONNREFUSED'));
    const { writer, store, checkpoints } = system.parts;
    for (const faulty of [
      { writer: { ...writer, insert: (insert) => (isDown ? down() : writer.insert(insert)) } },
      { checkpoints: { ...checkpoints, beginBatch: (move) => (isDown ? down() : checkpoints.beginBatch(move)) } },
      {
        store: {
          ...store,
          subscribe: (options) => {
            if (isDown) throw new EventStoreUnavailable('connect ECONNREFUSED');
            return store.subscribe(options);
          },
        },
      },
    ] satisfies Partial<SupervisorDependencies>[]) {
      isDown = true;
      const before = (await events()).length;
      await system.play({ eventId: `after ${before}`, playedAt: `2026-08-20T14:0${before}:00.000Z` });
      const worker = working('one', faulty);
      try {
        const readStatus = () => Promise.resolve(worker.statusRegistry.statuses[0]);
        const failed = await waitUntil(readStatus, (status) => status?.state === 'failing', 20_000);
        expect(failed?.error).to.include('ECONNREFUSED');
        isDown = false;
        await waitUntil(events, (ids) => ids.length === before + 1, 20_000);
        const recovered = await waitUntil(readStatus, (status) => status?.state === 'running', 20_000);
        expect(recovered?.error).to.equal(undefined);
      } finally {
        await worker.stop();
      }
    }
    expect(await parked()).to.equal(0);
  });

  it('projects what precedes a damaged record, stops there and names its position, until the log is repaired', async () => {
    const { store } = system.parts;
    const [first, second, third] = ['one', 'two', 'three'];
    for (const [minute, eventId] of [first, second, third].entries())
      await system.play({ eventId, playedAt: `2026-08-20T14:0${minute}:00.000Z` });
    let isDamaged = true;
    let met = 0;
    const damaged: EventStore = {
      ...store,
      async *subscribe(options) {
        for await (const item of store.subscribe(options)) {
          if (isDamaged && item.kind === 'event' && JSON.stringify(item.event.data).includes(`"${second}"`)) {
            met += 1;
            throw new EventLogDamaged(`the event log is damaged: no whole record at position ${item.event.position}`);
          }
          yield item;
        }
      },
    };
    const worker = working('one', { store: damaged });
    try {
      await waitUntil(
        () => Promise.resolve(met),
        (times) => times > 1,
        20_000,
      );
      expect(await events()).to.deep.equal([first]);
      expect(worker.statusRegistry.statuses[0]).to.include({ state: 'failing' });
      expect(worker.statusRegistry.statuses[0]!.error).to.match(/no whole record at position \d+/);
      isDamaged = false;
      await waitUntil(events, (ids) => ids.length === 3, 40_000);
    } finally {
      await worker.stop();
    }
  });

  it('is replaced by another process within its lease and five seconds after a crash', async () => {
    await system.play({ eventId: 'A' });
    const { leases } = system.parts;
    // A crashed process neither renews nor releases its lease.
    let isCrashed = false;
    const crashingLeases = {
      ...leases,
      renew: (...given: Parameters<typeof leases.renew>) =>
        isCrashed ? new Promise<boolean>(() => undefined) : leases.renew(...given),
      release: () => Promise.resolve(),
    };
    const first = working('first', { leases: crashingLeases });
    await waitUntil(events, (ids) => ids.length === 1, 20_000);
    const second = working('second');
    await sleep(300);
    expect(second.statusRegistry.statuses[0]?.state).to.equal('waiting');
    isCrashed = true;
    await first.stop();
    const endedAt = Date.now();
    await system.play({ eventId: 'B', playedAt: '2026-08-20T14:01:00.000Z' });
    try {
      await waitUntil(events, (ids) => ids.length === 2, 30_000);
      expect(Date.now() - endedAt).to.be.lessThan(isLong ? 20_000 : 15_000);
    } finally {
      await second.stop();
    }
  });

  it('does not move while it is paused, and continues afterwards', async () => {
    const worker = working('one');
    try {
      await system.play({ eventId: 'A' });
      await waitUntil(events, (ids) => ids.length === 1, 20_000);
      await pauseProjection(system.postgres, 'coffee', true);
      await waitUntil(
        () => Promise.resolve(worker.statusRegistry.statuses),
        (statuses) => statuses.length === 0,
        20_000,
      );
      await system.play({ eventId: 'B', playedAt: '2026-08-20T14:01:00.000Z' });
      await sleep(1_000);
      expect(await events()).to.deep.equal(['A']);
      await pauseProjection(system.postgres, 'coffee', false);
      await waitUntil(events, (ids) => ids.length === 2, 20_000);
    } finally {
      await worker.stop();
    }
  });
});
