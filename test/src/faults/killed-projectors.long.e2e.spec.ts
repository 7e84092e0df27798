import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { chooseRounds, chooseSeed } from '../support/rounds.ts';
import { createRandom } from '@popsvc/tools/rig';
import {
  waitUntilCaughtUp,
  assertCheckpointsOnlyGrew,
  assertAllAcknowledgedStored,
  assertTablesMatchLog,
  assertNothingParked,
} from '@popsvc/tools/soak';
import { EndedEarly, startProjectors } from './projectors-process.fixture.ts';
import { openStage, type Stage } from './stage.fixture.ts';
import { createTraffic } from './traffic.fixture.ts';
import { flowRegistry } from './world.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const rounds = chooseRounds(3, 200);
const seed = chooseSeed(20_261_123);
const steps = ['before-begin', 'before-insert', 'after-insert', 'after-derive', 'after-progress', 'after-checkpoint'];
const projections = ['coffee', 'registry', 'watcher-summary', 'uptime', 'status', 'jobs'];
/** In one of this many rounds, the kill comes at a random time. */
const perStep = steps.length + 1;
const stepTimeoutMs = 30_000;

/** Projectors that are killed at every step of their loop leave the rows of an undisturbed build of the same log. */
describe(`projectors killed with kill -9 (${rounds} rounds, seed ${seed})`, function () {
  this.timeout(isLong ? 7_200_000 : 300_000);
  let stage: Stage;
  before(async () => {
    stage = await openStage();
    await stage.register(flowRegistry);
  });
  after(() => stage.close());

  /** Starts the projectors and kills them at a step or at a random time. Returns where they were killed. */
  const startAndKill = async (round: number, { fraction, below }: ReturnType<typeof createRandom>): Promise<string> => {
    const step = steps[round % perStep];
    // Each step in turn, then the same steps of another projection.
    const projection = projections[Math.floor(round / perStep) % projections.length];
    const env = step === undefined ? undefined : { POPSVC_FAIL_POINT: `${projection}/${step}:${1 + below(3)}` };
    try {
      const projectors = await startProjectors(stage.stores, env);
      if (step === undefined) await sleep(fraction() * 2_500);
      else await Promise.race([projectors.ended, sleep(stepTimeoutMs)]);
      const reached = step === undefined ? 'random time' : projectors.isOver() ? step : 'not reached';
      await projectors.kill9();
      return reached;
    } catch (error) {
      if (error instanceof EndedEarly && /SIGKILL/.test(error.message)) return step ?? 'random time';
      throw error;
    }
  };

  it('lose and duplicate nothing, and leave the rows of the log', async () => {
    const random = createRandom(seed);
    const traffic = createTraffic(stage, seed);
    for (let step = 0; step < (isLong ? 40 : 20); step += 1) await traffic.step();
    const flowing = traffic.run(isLong ? 40 : 600);
    const kills = new Map<string, number>();
    for (let round = 0; round < rounds; round += 1) {
      const where = await startAndKill(round, random);
      kills.set(where, (kills.get(where) ?? 0) + 1);
      if (isLong && round % 20 === 19) process.stdout.write(`      ${round + 1} rounds\n`);
    }
    await flowing.stop();
    const last = await startProjectors(stage.stores);
    const catchUpMs = await waitUntilCaughtUp(stage, isLong ? 300_000 : 150_000).catch((error: unknown) => {
      process.stderr.write(`${last.lines.slice(-50).join('\n')}\n`);
      throw error;
    });
    await last.stop();

    await assertNothingParked(stage);
    const moves = await assertCheckpointsOnlyGrew(stage);
    await assertAllAcknowledgedStored(stage, traffic.acknowledged);
    const rows = await assertTablesMatchLog(stage, { wholeRows: !isLong });
    for (const step of steps.slice(0, rounds)) expect(kills.get(step), step).to.be.greaterThan(0);
    const { appends, playEvents, dynamicEvents } = traffic.acknowledged;
    process.stdout.write(
      `      ${[...kills].map(([where, count]) => `${count} ${where}`).join(', ')}; ${appends} appends, ` +
        `${playEvents} plays, ${dynamicEvents} in a vendor's own schema; ${rows} rows; caught up in ${Math.round(catchUpMs)} ms\n` +
        `      checkpoint moves by run: ${moves}\n`,
    );
  });
});
