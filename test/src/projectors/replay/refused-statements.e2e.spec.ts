import { randomUUID } from 'node:crypto';
import { type BuildGeneration, buildGeneration, buildInBackground } from '@popsvc/projectors/engine/replay';
import { expect } from 'chai';
import { type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

/** A replay that does not end makes more attempts. */
const maxAttempts = 7;

describe('a replay with a statement that ClickHouse refuses', function () {
  let system: ReplaySystem;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    system = await startReplaySystem({ of: ['registry', 'coffee'] });
    env = { ...process.env, ...system.env, POPSVC_OPERATOR_TOKEN: randomUUID(), LOG_LEVEL: 'silent' };
    await system.appendRound(1);
    await system.waitUntilCaughtUp('coffee', [1]);
  });
  after(() => system.close());

  for (const [title, source, createBuild] of [
    ['a build from the log in this process', 'log', () => buildGeneration],
    ['a build from facts in the background', 'facts', () => buildInBackground(env)],
  ] as const)
    it(`fails after five attempts: ${title}`, async () => {
      const build = createBuild();
      const stop = new AbortController();
      let attempts = 0;
      const refused: BuildGeneration = async (dependencies, target, ...others) => {
        attempts += 1;
        if (attempts > maxAttempts) stop.abort();
        await system.writer.run(
          `ALTER TABLE coffee_g${target.generation} ADD CONSTRAINT IF NOT EXISTS no_rows CHECK 0`,
        );
        return build(dependencies, target, ...others);
      };
      const parts = { ...system.dependenciesOf('one'), buildInBackground: refused };
      const { state, error } = await system.runReplay(await system.plan('coffee', false, source), parts, stop.signal);
      expect({ state, attempts }).to.deep.equal({ state: 'failed', attempts: 5 });
      expect(error).to.include('no_rows');
      expect((await system.generations('coffee'))[1]).to.equal('live');
    });
});
