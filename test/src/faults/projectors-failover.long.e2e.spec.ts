import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, waitUntil } from '@popsvc/tools/rig';
import {
  assertAllAcknowledgedStored,
  assertCheckpointsOnlyGrew,
  assertNothingParked,
  assertTablesMatchLog,
  readLivePositions,
  waitUntilCaughtUp,
} from '@popsvc/tools/soak';
import { expect } from 'chai';
import { type PostgresPair, startPostgresPair } from '../postgres/postgres-pair.fixture.ts';
import { chooseRounds, chooseSeed } from '../support/rounds.ts';
import { startProjectors } from './projectors-process.fixture.ts';
import { openStage, type Stage } from './stage.fixture.ts';
import { createTraffic } from './traffic.fixture.ts';
import { flowRegistry } from './world.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const rounds = chooseRounds(1, 20);
const seed = chooseSeed(20_261_130);

describe(`projectors during a fail-over of PostgreSQL (${rounds} rounds, seed ${seed})`, function () {
  this.timeout(isLong ? 3_600_000 : 300_000);
  let pair: PostgresPair;
  let stage: Stage;
  before(async () => {
    pair = await startPostgresPair();
    await pair.configure('synchronous_standby_names', '*');
    await pair.addStandby('standby');
    stage = await openStage({
      postgres: {
        url: pair.url,
        kill9: () => pair.killPrimary(),
        start: () => pair.promote(),
      },
    });
    await stage.register(flowRegistry);
  });
  after(() => stage.close());

  /** Reads the positions of the live generations. After a fail-over, connections to the former primary fail first. */
  const readPositions = () =>
    waitUntil(
      () => readLivePositions(stage).catch(() => undefined),
      (positions) => positions !== undefined,
      60_000,
    ) as ReturnType<typeof readLivePositions>;

  it('lose and duplicate nothing, and continue on the new primary', async () => {
    const random = createRandom(seed);
    const traffic = createTraffic(stage, seed);
    for (let step = 0; step < 20; step += 1) await traffic.step();
    const projectors = await startProjectors(stage.stores, { POSTGRES_REQUIRE_SYNC_STANDBY: 'true' });
    const flowing = traffic.run(isLong ? 40 : 600);
    const pausesMs: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      pair.replication.disturb({ there: { delayMs: random.below(15) }, back: { delayMs: random.below(15) } });
      await sleep(1_000 + random.fraction() * 2_000);
      const before = await readPositions();
      const beganMs = performance.now();
      if (round % 2 === 0) pair.clients.forget();
      await stage.stores.postgres.kill9();
      await stage.stores.postgres.start();
      const after = await readPositions();
      for (const [projection, position] of before)
        expect(after.get(projection)! >= position, `round ${round}: ${projection}`).to.equal(true);
      await pair.addStandby(`standby${round}`);
      await waitUntil(
        readPositions,
        (now) => [...after].every(([name, position]) => now.get(name)! > position),
        90_000,
      );
      pausesMs.push(performance.now() - beganMs);
    }
    await flowing.stop();
    const catchUpMs = await waitUntilCaughtUp(stage, 150_000);
    await projectors.stop();

    await assertNothingParked(stage);
    await assertCheckpointsOnlyGrew(stage);
    await assertAllAcknowledgedStored(stage, traffic.acknowledged);
    const rows = await assertTablesMatchLog(stage, { wholeRows: !isLong });
    const { appends, playEvents } = traffic.acknowledged;
    process.stdout.write(
      `      ${rounds} fail-overs; ${appends} appends, ${playEvents} plays; ${rows} rows; all projections continued after at most ` +
        `${Math.round(Math.max(...pausesMs))} ms; caught up in ${Math.round(catchUpMs)} ms\n`,
    );
  });
});
