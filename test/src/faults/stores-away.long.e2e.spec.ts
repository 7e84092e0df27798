import { setTimeout as sleep } from 'node:timers/promises';
import { createApiKey } from '@popsvc/http-kit/auth';
import { expect } from 'chai';
import { unlimitedRates } from '@popsvc/tools/bench';
import { type CommandApiProcess, startCommandApi } from '../command-api/command-api-process.fixture.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { operatorToken } from '../support/test-services.ts';
import { waitUntilCaughtUp, assertTablesMatchLog, assertNothingParked } from '@popsvc/tools/soak';
import { type ProjectorsProcess, startProjectors } from './projectors-process.fixture.ts';
import { type Pushes, startPushes } from './pushes.fixture.ts';
import { openStage, type Stage } from './stage.fixture.ts';
import { flow, flowRegistry } from './world.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const downMs = isLong ? 120_000 : 3_000;
/** Retries are at most half a minute apart. */
const catchUpTimeoutMs = isLong ? 90_000 : 30_000;
const everyMs = isLong ? 100 : 400;
const mostMb = 700;
const stores = ['clickhouse', 'postgres', 'eventStore'] as const;

describe(`stores that are down for ${downMs / 1_000} s under traffic`, function () {
  this.timeout(isLong ? 1_800_000 : 300_000);
  let stage: Stage;
  let api: CommandApiProcess;
  let projectors: ProjectorsProcess;
  let pushes: Pushes;
  before(async () => {
    stage = await openStage();
    await stage.register(flowRegistry);
    const { eventStore, postgres } = stage.stores;
    projectors = await startProjectors(stage.stores);
    api = await startCommandApi(eventStore.url, postgres.url);
    const { apiKey } = await createApiKey(stage.postgres, {
      vendor: flow.vendor,
      networkId: flow.network,
      ...unlimitedRates,
    });
    pushes = startPushes(api.baseUrl, apiKey, { everyMs });
    await waitUntil(
      () => Promise.resolve(pushes.acknowledged.size),
      (taken) => taken > (isLong ? 50 : 10),
    );
    await waitUntilCaughtUp(stage);
  });
  after(async () => {
    await pushes.stop();
    await projectors.kill9();
    await api.stop();
    await stage.close();
  });

  /** States of the projections as the operations server reports them. */
  const readStates = async (): Promise<Readonly<Record<string, string>>> => {
    const answer = await fetch(`${projectors.opsUrl}/ops/v1/projections`, {
      headers: { authorization: `Bearer ${operatorToken}` },
    });
    const projections = (await answer.json()) as readonly { name: string; state: string; error: string | null }[];
    return Object.fromEntries(
      projections.map(({ name, state, error }) => [name, error ? `${state}: ${error}` : state]),
    );
  };
  const shown = (answers: Readonly<Record<number, number>>) =>
    Object.entries(answers)
      .map(([status, count]) => `${count} × ${status}`)
      .join(', ');

  for (const name of stores)
    it(`${name}: the service continues by itself when the store is back`, async () => {
      pushes.answers();
      const store = stage.stores[name];
      await store.kill9();
      await sleep(downMs);
      const [answers, states] = [pushes.answers(), name === 'clickhouse' ? await readStates() : {}];
      await store.start();
      const backMs = await waitUntilCaughtUp(stage, catchUpTimeoutMs);
      expect(projectors.isOver(), projectors.lines.slice(-10).join('\n')).to.equal(false);
      await assertNothingParked(stage);
      if (name === 'clickhouse') {
        expect(Object.keys(answers), 'intake does not need ClickHouse').to.deep.equal(['202']);
        expect(states['coffee']).to.match(/^failing: /);
      }
      if (name === 'eventStore') expect(answers[503]).to.be.greaterThan(0);
      process.stdout.write(
        `      meanwhile ${shown(answers)}; no lag again after ${(backMs / 1_000).toFixed(1)} s; ` +
          `projectors at ${projectors.peakMb().toFixed(0)} MB at most${states['coffee'] ? `; coffee was ${states['coffee']}` : ''}\n`,
      );
    });

  it('lose no acknowledged event', async () => {
    await pushes.stop();
    await waitUntilCaughtUp(stage);
    expect(projectors.peakMb()).to.be.lessThan(mostMb);
    await projectors.stop();
    const rows = await stage.writer.rows<{ id: string }>('SELECT DISTINCT event_id AS id FROM coffee_live');
    const seen = new Set(rows.map(({ id }) => id));
    const { acknowledged, unknown } = pushes;
    expect([...acknowledged].filter((id) => !seen.has(id))).to.deep.equal([]);
    expect([...seen].filter((id) => !acknowledged.has(id) && !unknown.has(id))).to.deep.equal([]);
    const compared = await assertTablesMatchLog(stage, { wholeRows: !isLong });
    process.stdout.write(
      `      ${acknowledged.size} plays acknowledged, ${unknown.size} without, of which ` +
        `${[...unknown].filter((id) => seen.has(id)).length} are there; ${compared} rows\n`,
    );
  });
});
