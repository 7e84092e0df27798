import { subscribeWithLease, type LeasedSubscription, LeaseHeldElsewhere } from '@popsvc/platform/message-bus';
import { createCheckpointStore } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ground, openGround, tell, until } from './buses.fixture.ts';

const seed = 11;

/** Good enough to place a failure; Math.random would not come again. */
const random = (state: number) => () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};

describe(`bus: following the log in one process at a time (seed ${seed})`, () => {
  let ground: Ground;
  before(async () => (ground = await openGround()));
  after(() => ground.close());

  const follow = (owner: string, task: Partial<LeasedSubscription> & { name: string }, signal: AbortSignal) =>
    subscribeWithLease({ ...ground, owner }, { prefixes: ['bulkJob-'], maxEvents: 7, maxWaitMs: 1, ...task }, signal);
  const failing = (following: Promise<void>) =>
    following.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('moves on only behind what was handled, whatever fails on the way', async () => {
    const told = await tell(ground.store, 300);
    const next = random(seed);
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
        if (moved.length === told.length) end.abort();
      },
    };
    let lives = 0;
    for (; !end.signal.aborted; lives += 1) await failing(follow('one', task, end.signal));
    expect(moved).to.deep.equal(told);
    expect(lives).to.be.greaterThan(5);
  });

  it('is done by one at a time, and the next one goes on where the first stopped', async () => {
    const name = `shared-${randomUUID()}`;
    const [first, second] = [new AbortController(), new AbortController()];
    const seen: string[][] = [[], []];
    const task = (by: number): Partial<LeasedSubscription> & { name: string } => ({
      name,
      onMoved: (events) => void seen[by]!.push(...events.map(({ id }) => id)),
    });
    const one = follow('one', task(0), first.signal);
    const told = await tell(ground.store, 20);
    await until('the first one has all', () => told.every((id) => seen[0]!.includes(id)));
    expect(await failing(follow('two', task(1), second.signal))).to.be.instanceOf(LeaseHeldElsewhere);
    first.abort();
    await one;
    const more = await tell(ground.store, 20);
    const two = follow('two', task(1), second.signal);
    await until('the second one has the rest', () => seen[1]!.length >= more.length);
    second.abort();
    await two;
    expect(seen[1]).to.deep.equal(more);
  });

  it('refuses to go on in another log than it began with', async () => {
    const name = `moved-${randomUUID()}`;
    const end = new AbortController();
    const following = follow('one', { name, onMoved: () => end.abort() }, end.signal);
    await tell(ground.store, 1);
    await following;
    expect(
      (await createCheckpointStore(ground.postgres).read({ projection: name, generation: 1 })).position > 0n,
    ).to.equal(true);
    await ground.postgres.query('UPDATE checkpoints SET log_id = $2 WHERE projection = $1', [name, randomUUID()]);
    const refused = await failing(follow('one', { name }, new AbortController().signal));
    expect(String(refused)).to.include('another log');
  });
});
