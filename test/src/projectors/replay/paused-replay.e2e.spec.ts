import type { EventStore } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { interceptStatements } from './gate.fixture.ts';
import { type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

describe('while the live generation is paused', function () {
  let system: ReplaySystem;
  before(async () => {
    system = await startReplaySystem({ of: ['registry', 'coffee'] });
    await system.appendRound(1);
    await system.waitUntilCaughtUp('coffee', [1]);
  });
  after(() => system.close());

  it('a replay starts no step whose duration depends on the length of the log', async () => {
    const parts = system.dependenciesOf('one');
    let isPaused = false;
    const subscriptions: string[] = [];
    const store: EventStore = {
      ...parts.store,
      async append(stream, events, options) {
        // The process that requests the pause appends a probe, so that the writer announces a batch.
        isPaused ||= stream.startsWith('probe-');
        return parts.store.append(stream, events, options);
      },
      subscribe(options) {
        if (isPaused) subscriptions.push(options.prefixes.join());
        return parts.store.subscribe(options);
      },
    };
    const pointing = interceptStatements(
      { ...parts, store },
      'run',
      (query) => query.includes('VIEW progress_live'),
      () => {
        isPaused = false;
        return Promise.resolve();
      },
    );
    const replay = await system.plan('coffee');
    await system.appendRound(2);
    const { state, pausedMs } = await system.runReplay(replay, pointing);
    expect(state).to.equal('done');
    expect(pausedMs).to.be.greaterThan(0);
    expect(subscriptions).to.deep.equal([]);
  });
});
