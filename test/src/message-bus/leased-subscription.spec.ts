import { subscribeWithLease, type LeasedSubscription, LeaseHeldElsewhere } from '@popsvc/platform/message-bus';
import { createCheckpointStore } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFractions } from '../support/rounds.ts';
import { type TestStores, openTestStores, appendEvents, waitFor } from './bus.fixture.ts';

const seed = 11;

describe(`leased subscription (seed ${seed})`, () => {
  let stores: TestStores;
  before(async () => (stores = await openTestStores()));
  after(() => stores.close());

  const follow = (owner: string, task: Partial<LeasedSubscription> & { name: string }, signal: AbortSignal) =>
    subscribeWithLease({ ...stores, owner }, { prefixes: ['bulkJob-'], maxEvents: 7, maxWaitMs: 1, ...task }, signal);
  const failing = (following: Promise<void>) =>
    following.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('moves the checkpoint only past handled events, whatever fails in between', async () => {
    const appended = await appendEvents(stores.store, 300);
    const next = createFractions(seed);
    const fail = () => {
      if (next() < 0.15) throw new Error('planted');
    };
    const end = new AbortController();
    const [tried, moved]: [Set<string>, string[]] = [new Set(), []];
    const task: Partial<LeasedSubscription> & { name: string } = {
      name: 'tested',
      handle: async (events) => {
        fail();
        for (const { id } of events) tried.add(id);
        fail();
        await sleep(0);
      },
      inTransaction: async () => {
        await sleep(0);
        fail();
      },
      onMoved(events) {
        expect(events.every(({ id }) => tried.has(id))).to.equal(true);
        moved.push(...events.map(({ id }) => id));
        if (moved.length === appended.length) end.abort();
      },
    };
    let attempts = 0;
    for (; !end.signal.aborted; attempts += 1) await failing(follow('one', task, end.signal));
    expect(moved).to.deep.equal(appended);
    expect(attempts).to.be.greaterThan(5);
  });

  it('runs in one process at a time, and the next process continues where the first stopped', async () => {
    const name = `shared-${randomUUID()}`;
    const [first, second] = [new AbortController(), new AbortController()];
    const seen: string[][] = [[], []];
    const task = (by: number): Partial<LeasedSubscription> & { name: string } => ({
      name,
      onMoved: (events) => void seen[by]!.push(...events.map(({ id }) => id)),
    });
    const one = follow('one', task(0), first.signal);
    const appended = await appendEvents(stores.store, 20);
    await waitFor('the first one has all', () => appended.every((id) => seen[0]!.includes(id)));
    expect(await failing(follow('two', task(1), second.signal))).to.be.instanceOf(LeaseHeldElsewhere);
    first.abort();
    await one;
    const more = await appendEvents(stores.store, 20);
    const two = follow('two', task(1), second.signal);
    await waitFor('the second one has the rest', () => seen[1]!.length >= more.length);
    second.abort();
    await two;
    expect(seen[1]).to.deep.equal(more);
  });

  it('rejects a checkpoint of another log', async () => {
    const name = `moved-${randomUUID()}`;
    const end = new AbortController();
    const following = follow('one', { name, onMoved: () => end.abort() }, end.signal);
    await appendEvents(stores.store, 1);
    await following;
    expect(
      (await createCheckpointStore(stores.postgres).read({ projection: name, generation: 1 })).position > 0n,
    ).to.equal(true);
    await stores.postgres.query('UPDATE checkpoints SET log_id = $2 WHERE projection = $1', [name, randomUUID()]);
    const refused = await failing(follow('one', { name }, new AbortController().signal));
    expect(String(refused)).to.include('another log');
  });
});
