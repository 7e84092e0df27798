import type { EventStore } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { before as first } from './gate.fixture.ts';
import { type Replaying, replaying } from './replaying.fixture.ts';

describe('while the live generation is paused', function () {
  this.timeout(60_000);
  let system: Replaying;
  before(async () => {
    system = await replaying();
    await system.tell(1);
    await system.caughtUp('coffee', [1]);
  });
  after(() => system.close());

  it('a replay starts no step whose duration depends on the length of the log', async () => {
    const parts = system.partsOf('one');
    let isHeld = false;
    const begun: string[] = [];
    const store: EventStore = {
      ...parts.store,
      async append(stream, events, options) {
        // Whoever has it stand still gives its writer something to begin.
        isHeld ||= stream.startsWith('probe-');
        return parts.store.append(stream, events, options);
      },
      subscribe(options) {
        if (isHeld) begun.push(options.prefixes.join());
        return parts.store.subscribe(options);
      },
    };
    const pointing = first(
      { ...parts, store },
      'run',
      (query) => query.includes('VIEW progress_live'),
      () => {
        isHeld = false;
        return Promise.resolve();
      },
    );
    const replay = await system.plan('coffee');
    await system.tell(2);
    const { state, pausedMs } = await system.conduct(replay, pointing);
    expect(state).to.equal('done');
    expect(pausedMs).to.be.greaterThan(0);
    expect(begun).to.deep.equal([]);
  });
});
